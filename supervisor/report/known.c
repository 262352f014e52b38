#include "supervisor/report/known.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/report/report.h"
#include "supervisor/report/report_groups.h"

/* Adds the fingerprints of a list of findings. False if one has none. */
static bool add_list(const json_t *root, const char *key, struct rfs_known *out)
{
	const json_t *list = json_object_get(root, key), *finding;
	size_t i;

	json_array_foreach(list, i, finding)
	{
		const char *fingerprint = json_string_value(json_object_get(finding, "fingerprint"));
		const char *verdict = json_string_value(json_object_get(finding, "verdict"));

		/* pairs that are no findings are listed too */
		if (verdict && strcmp(verdict, "real") != 0 && strcmp(verdict, "harmful") != 0)
			continue;
		if (json_is_true(json_object_get(finding, "not_reproduced")) ||
		    json_is_true(json_object_get(finding, "plain")))
			continue;
		if (!fingerprint)
			return false;
		out->fingerprints = xreallocarray(out->fingerprints, out->n + 1, sizeof(*out->fingerprints));
		out->fingerprints[out->n++] = xstrdup(fingerprint);
	}
	return true;
}

int rfs_known_read(const char *path, struct rfs_known *out, char *why, size_t n)
{
	static const char *const keys[] = {"pairs", "deadlocks", "failures", "misuses"};
	json_error_t error;
	json_t *root = json_load_file(path, 0, &error);
	int result = 0;

	*out = (struct rfs_known){0};
	if (!root)
		return rfs_why(why, n, -EINVAL, "'%s' is not a JSON report: line %d: %s", path, error.line, error.text);
	if (!json_is_array(json_object_get(root, "pairs")))
		result = rfs_why(why, n, -EINVAL, "'%s' is not a report of rfsup; use report.json of an output folder",
				 path);
	for (size_t i = 0; !result && i < sizeof(keys) / sizeof(*keys); i++)
		if (!add_list(root, keys[i], out))
			result = rfs_why(why, n, -EINVAL,
					 "'%s' was written by an older rfsup, without fingerprints; make it again",
					 path);
	json_decref(root);
	if (result)
		rfs_known_release(out);
	return result;
}

void rfs_known_release(struct rfs_known *known)
{
	for (size_t i = 0; i < known->n; i++)
		free(known->fingerprints[i]);
	free(known->fingerprints);
	*known = (struct rfs_known){0};
}

static bool has(const struct rfs_known *known, const struct rfs_report_identity *identity)
{
	for (size_t i = 0; i < known->n; i++)
		if (strcmp(known->fingerprints[i], identity->fingerprint) == 0)
			return true;
	return false;
}

static void mark_group(const struct rfs_known *known, const struct rfs_report_group *group)
{
	bool found = false;

	for (size_t i = 0; i < group->n; i++)
		found |= has(known, rfs_report_item_identity(&group->items[i]));
	for (size_t i = 0; i < group->n; i++)
		rfs_report_item_identity(&group->items[i])->known = found;
}

void rfs_known_mark(const struct rfs_known *known, const char *path, struct rfs_report *report)
{
	struct rfs_report_groups groups;

	report->known_in = xstrdup(path);
	rfs_report_groups_make(report, &groups);
	for (size_t i = 0; i < groups.n; i++)
		mark_group(known, &groups.list[i]);
	rfs_report_groups_release(&groups);
	for (size_t i = 0; i < report->misuses.n; i++)
		report->misuses.list[i].identity.known = has(known, &report->misuses.list[i].identity);
}
