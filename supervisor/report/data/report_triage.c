/* report_triage.c - what became of the reports of other tools, as data. */
#include "supervisor/report/data/report_triage.h"

#include <stdlib.h>

#include "supervisor/base/alloc.h"

const char *const rfs_triaged_words[RFS_TRIAGED_COUNT] = {
	[RFS_TRIAGED_HARMFUL] = "harmful",	   [RFS_TRIAGED_REAL] = "real",
	[RFS_TRIAGED_UNCLEAR] = "unclear",	   [RFS_TRIAGED_NOT_CREATED] = "not created",
	[RFS_TRIAGED_SUPPRESSED] = "suppressed",   [RFS_TRIAGED_NOT_TRIED] = "not tried",
	[RFS_TRIAGED_NOT_MATCHED] = "not matched", [RFS_TRIAGED_OTHER] = "not a race or deadlock",
};

struct rfs_report_triaged *rfs_report_add_triaged(struct rfs_report_triage *triage)
{
	if ((triage->n & (triage->n - 1)) == 0)
		triage->list = xreallocarray(triage->list, triage->n ? triage->n * 2 : 1, sizeof(*triage->list));
	triage->list[triage->n] = (struct rfs_report_triaged){0};
	return &triage->list[triage->n++];
}

void rfs_report_triage_release(struct rfs_report_triage *triage)
{
	for (size_t i = 0; i < triage->n; i++) {
		free(triage->list[i].title);
		free(triage->list[i].what);
		free(triage->list[i].why);
	}
	free(triage->list);
	free(triage->file);
	free(triage->note);
}

struct rfs_triage_sums rfs_report_triage_sums(const struct rfs_report_triage *triage)
{
	struct rfs_triage_sums sums = {0};

	for (size_t i = 0; i < triage->n; i++) {
		const struct rfs_report_triaged *one = &triage->list[i];

		sums.all += one->count;
		sums.results[one->result] += one->count;
		sums.frames += one->frames;
		sums.frames_matched += one->frames_matched;
	}
	return sums;
}
