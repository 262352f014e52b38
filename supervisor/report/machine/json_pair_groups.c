/* json_pair_groups.c - which pairs are a group, and its verdict. */
#include "supervisor/report/machine/json_pair_groups.h"

#include <stdlib.h>

#include "supervisor/base/alloc.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_pair_groups.h"
#include "supervisor/report/data/report_verdict.h"
#include "supervisor/report/machine/json_put.h"

static json_t *json_pair_groups_group(const struct rfs_report_pair_group *group)
{
	json_t *object = json_object(), *ids = json_array();
	uint64_t runs = 0;

	rfs_json_put_text(object, "verdict", rfs_verdict_words(group->pairs[0]->verdict)->name);
	for (size_t i = 0; i < group->n; i++) {
		runs += group->pairs[i]->runs;
		rfs_json_append(ids, json_string(group->pairs[i]->identity.id));
	}
	rfs_json_put_number(object, "runs", runs);
	rfs_json_put(object, "pairs", ids);
	return object;
}

json_t *rfs_json_pair_groups(const struct rfs_report *report)
{
	const struct rfs_report_pair **pairs = xcalloc(report->n_pairs + 1, sizeof(*pairs));
	struct rfs_report_pair_groups groups;
	json_t *array = json_array();
	size_t n = 0;

	/* what is suppressed has no runs, and would give its group no verdict */
	for (size_t i = 0; i < report->n_pairs; i++)
		if (!report->pairs[i].identity.suppressed)
			pairs[n++] = &report->pairs[i];
	rfs_report_pair_groups_make(pairs, n, &groups);
	for (size_t i = 0; i < groups.n; i++)
		rfs_json_append(array, json_pair_groups_group(&groups.list[i]));
	rfs_report_pair_groups_release(&groups);
	free(pairs);
	return array;
}
