/* known.c - reads fingerprints from the earlier report, and marks the findings that have one of them. */
#include "supervisor/report/data/known.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_groups.h"

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
		/* what was hidden then is shown now, unless it is hidden again */
		if (json_object_get(finding, "suppressed") ||
		    json_is_true(json_object_get(finding, "not_reproduced")) ||
		    json_is_true(json_object_get(finding, "plain")))
			continue;
		if (!fingerprint)
			return false;
		out->fingerprints = xreallocarray(out->fingerprints, out->n + 1, sizeof(*out->fingerprints));
		out->fingerprints[out->n++] = xstrdup(fingerprint);
	}
	return true;
}

/* Adds the findings of a report. other: it is the report of another test. NULL, or what is wrong with it. */
static const char *add_report(const json_t *root, bool other, struct rfs_known *out)
{
	static const char *const keys[] = {"pairs", "deadlocks", "failures", "misuses"};

	if (!json_is_array(json_object_get(root, "pairs")))
		return "is not a report of rfsup; use report.json of an output directory";
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		/* tests share code with races, but "status 1" of one test says nothing about another one */
		if (!(other && strcmp(keys[i], "failures") == 0) && !add_list(root, keys[i], out))
			return "was written by an older rfsup, without fingerprints; run that campaign again";
	return NULL;
}

int rfs_known_read(const char *path, const char *name, struct rfs_known *out, char *why, size_t n)
{
	json_error_t error;
	json_t *root = json_load_file(path, 0, &error), *tests, *test;
	const char *wrong = NULL;
	size_t i;

	*out = (struct rfs_known){0};
	if (!root)
		return rfs_why(why, n, -EINVAL, "'%s' is not a JSON report: line %d: %s", path, error.line, error.text);
	tests = json_object_get(root, "tests");
	if (!tests)
		wrong = add_report(root, false, out);
	json_array_foreach(tests, i, test)
	{
		const json_t *report = json_object_get(test, "report");
		const char *its = json_string_value(json_object_get(test, "name"));

		/* a test that could not be run has no report */
		if (!wrong && report)
			wrong = add_report(report, name && (!its || strcmp(its, name) != 0), out);
	}
	json_decref(root);
	if (!wrong)
		return 0;
	rfs_known_release(out);
	return rfs_why(why, n, -EINVAL, "'%s' %s", path, wrong);
}

void rfs_known_release(struct rfs_known *known)
{
	for (size_t i = 0; i < known->n; i++)
		free(known->fingerprints[i]);
	free(known->fingerprints);
	*known = (struct rfs_known){0};
}

static bool known_has(const struct rfs_known *known, const struct rfs_report_identity *identity)
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
		found |= known_has(known, rfs_report_item_identity(&group->items[i]));
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
		report->misuses.list[i].identity.known = known_has(known, &report->misuses.list[i].identity);
}
