/* text_unconfirmed.c - writes the best pair of each cause with the number of the others. */
#include "supervisor/report/text/text_unconfirmed.h"

#include <stdlib.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_groups.h"
#include "supervisor/report/data/report_pair_groups.h"
#include "supervisor/report/text/text_finding.h"
#include "supervisor/report/text/text_put.h"

static bool text_unconfirmed_is(const struct rfs_report_pair *pair)
{
	return !rfs_verdict_words(pair->verdict)->finding && !pair->identity.suppressed;
}

bool rfs_text_has_unconfirmed_pair(const struct rfs_report *report)
{
	for (size_t i = 0; i < report->n_pairs; i++)
		if (text_unconfirmed_is(&report->pairs[i]))
			return true;
	return false;
}

static void text_unconfirmed_put_group(struct rfs_text *text, const struct rfs_report_pair_group *group)
{
	rfs_text_put_pair(text, group->pairs[0]);
	if (group->n > 1)
		rfs_text_put(text, "    %zu more of the same functions and memory\n", group->n - 1);
	for (size_t i = 1; i < group->n; i++) {
		const struct rfs_report_item item = {.pair = (struct rfs_report_pair *)group->pairs[i]};

		rfs_text_put(text, "    ");
		rfs_text_put_briefly(text, &item);
	}
}

void rfs_text_put_unconfirmed_pairs(struct rfs_text *text, const struct rfs_report *report)
{
	const struct rfs_report_pair **pairs = xcalloc(report->n_pairs + 1, sizeof(*pairs));
	struct rfs_report_pair_groups groups;
	size_t n = 0;

	for (size_t i = report->n_pairs; i-- > 0;)
		if (text_unconfirmed_is(&report->pairs[i]))
			pairs[n++] = &report->pairs[i];
	rfs_report_pair_groups_make(pairs, n, &groups);
	for (size_t i = 0; i < groups.n; i++)
		text_unconfirmed_put_group(text, &groups.list[i]);
	rfs_report_pair_groups_release(&groups);
	free(pairs);
}
