/* sarif_join.c - joins reports that rfsup has written, so their form is known. */
#include "supervisor/report/machine/sarif_join.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/report/machine/json_put.h"
#include "supervisor/report/machine/report_sarif.h"

/* Makes locations that are relative to the working directory of a test relative to that of rfsup. base, folder: the
 * URIs of both; each ends with a slash. */
static void move_locations(json_t *value, const char *base, const char *folder)
{
	const char *key, *uri = json_string_value(json_object_get(value, "uri"));
	const char *id = json_string_value(json_object_get(value, "uriBaseId"));
	json_t *item;
	size_t i;

	if (uri && (id || strncmp(uri, "file://", 7) == 0)) {
		char *whole = id ? xasprintf("%s%s", base, uri) : xstrdup(uri);
		const size_t n = strlen(folder);

		if (strncmp(whole, folder, n) == 0) {
			rfs_json_put_text(value, "uri", whole + n);
			rfs_json_put_text(value, "uriBaseId", RFS_SARIF_BASE);
		} else {
			rfs_json_put_text(value, "uri", whole);
			json_object_del(value, "uriBaseId");
		}
		free(whole);
	}
	json_object_foreach(value, key, item) move_locations(item, base, folder);
	json_array_foreach(value, i, item) move_locations(item, base, folder);
}

static const char *base_of(const json_t *run)
{
	const json_t *bases = json_object_get(run, "originalUriBaseIds");

	return json_string_value(json_object_get(json_object_get(bases, RFS_SARIF_BASE), "uri"));
}

/* "file:///folder/" of the working directory, as a report of a test there would have it. Caller frees. */
static char *folder_uri(void)
{
	char *folder = getcwd(NULL, 0), *uri = rfs_sarif_uri(folder ? folder : "/", true);

	free(folder);
	return uri;
}

static bool same(const json_t *a, const json_t *b, const char *key)
{
	json_t *one = json_object_get(a, key);

	return one && json_equal(one, json_object_get(b, key));
}

/*
 * Whether the same result is in the list, because tests share code. The fingerprint alone does not say so: it is made
 * of the names of functions, and many tests call theirs TestBody.
 */
static bool has_result(const json_t *results, const json_t *result)
{
	const json_t *item;
	size_t i;

	json_array_foreach(results, i, item) if (same(item, result, "partialFingerprints") &&
						 same(item, result, "locations")) return true;
	return false;
}

void rfs_sarif_join_begin(struct rfs_sarif_join *join)
{
	*join = (struct rfs_sarif_join){.folder = folder_uri()};
}

/* Makes the run of the first report the one for all, without its results. */
static void take_first(struct rfs_sarif_join *join, json_t *report, json_t *run)
{
	join->root = json_incref(report);
	join->run = run;
	rfs_json_put(run, "results", json_array());
	rfs_json_put(run, "invocations", json_array());
	rfs_sarif_put_base(run, join->folder);
}

void rfs_sarif_join_add(struct rfs_sarif_join *join, json_t *report)
{
	json_t *run = json_array_get(json_object_get(report, "runs"), 0), *all, *result;
	json_t *results = json_incref(json_object_get(run, "results"));
	json_t *invocations = json_incref(json_object_get(run, "invocations"));
	char *base = xstrdup(run && base_of(run) ? base_of(run) : join->folder);
	size_t i;

	if (run && !join->run)
		take_first(join, report, run);
	all = json_object_get(join->run, "results");
	json_array_foreach(results, i, result)
	{
		move_locations(result, base, join->folder);
		if (!has_result(all, result))
			rfs_json_append(all, json_incref(result));
	}
	if (run && json_array_extend(json_object_get(join->run, "invocations"), invocations))
		die("out of memory while writing the SARIF report");
	json_decref(results);
	json_decref(invocations);
	json_decref(report);
	free(base);
}

void rfs_sarif_join_end(struct rfs_sarif_join *join, FILE *out)
{
	if (!join->root) {
		join->root = json_object();
		rfs_json_put_text(join->root, "version", "2.1.0");
		rfs_json_put(join->root, "runs", json_array());
	}
	rfs_json_print(join->root, out); /* releases it */
	free(join->folder);
	*join = (struct rfs_sarif_join){0};
}
