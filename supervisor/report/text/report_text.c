/*
 * Writes the report for people: the findings in groups with one cause each, and a summary. The summary is at the end,
 * where a terminal shows it.
 */
#include "supervisor/report/text/report_text.h"

#include <stdlib.h>
#include <unistd.h>

#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_groups.h"
#include "supervisor/report/text/text_cycle.h"
#include "supervisor/report/text/text_debug.h"
#include "supervisor/report/text/text_finding.h"
#include "supervisor/report/text/text_put.h"
#include "supervisor/report/text/text_summary.h"
#include "supervisor/report/text/text_suppressed.h"
#include "supervisor/report/text/text_triage.h"
#include "supervisor/report/text/text_unconfirmed.h"
#include "supervisor/report/text/text_violation.h"

/* How many groups are shown in full. */
#define FULL_GROUPS 10
/* How many failures that every uncontrolled run shows are shown. */
#define PLAIN_SHOWN 2
/* How many unclear races are named. */
#define UNCLEAR_SHOWN 3

/*
 * Names the unclear races. They were created, so the reader must know of them although they are no findings. Returns
 * how many there are.
 */
static size_t put_unclear(struct rfs_text *text, const struct rfs_report *report)
{
	size_t n = 0;

	for (size_t i = 0; i < report->n_pairs; i++) {
		const struct rfs_report_item item = {.pair = &report->pairs[i]};

		if (item.pair->verdict != RFS_VERDICT_UNCLEAR || item.pair->identity.suppressed)
			continue;
		if (n++ == 0)
			rfs_text_put(text,
				     "\nUNCLEAR: %s, but legal if both accesses are atomics of C or C++, which compile "
				     "to the same instructions\n",
				     rfs_text_created(text));
		if (n <= UNCLEAR_SHOWN)
			rfs_text_put_briefly(text, &item);
	}
	if (n > UNCLEAR_SHOWN)
		rfs_text_put(text, "    %zu more %s in unconfirmed.txt\n", n - UNCLEAR_SHOWN,
			     n - UNCLEAR_SHOWN == 1 ? "is" : "are");
	return n;
}

static void put_findings(struct rfs_text *text, const struct rfs_report *report)
{
	struct rfs_report_groups groups;
	size_t plain = 0, unclear;
	bool violations;

	rfs_report_groups_make(report, &groups);
	rfs_report_groups_drop_known(&groups);
	for (size_t i = 0; i < groups.n && i < FULL_GROUPS; i++)
		rfs_text_put_group(text, &groups.list[i], report);
	if (groups.n > FULL_GROUPS)
		rfs_text_put(text, "\nother findings\n");
	for (size_t i = FULL_GROUPS; i < groups.n; i++)
		rfs_text_put_briefly(text, &groups.list[i].items[0]);
	violations = rfs_text_put_harmful_violations(text, report);
	/* the program is wrong in these as well, whatever the schedule is */
	for (size_t i = 0; i < report->n_failures; i++)
		if (report->failures[i].plain && plain++ < PLAIN_SHOWN)
			rfs_text_put_failure(text, &report->failures[i], report);
	unclear = put_unclear(text, report);
	rfs_text_put_debug_hints(text, report, &groups);
	if (groups.n || violations || plain || unclear || report->triage.first)
		rfs_text_put(text, "\n");
	rfs_report_groups_release(&groups);
}

void rfs_report_write_text(const struct rfs_report *report, bool colour, FILE *out)
{
	struct rfs_text text = {.out = out, .colour = colour, .folder = getcwd(NULL, 0)};

	if (report->triage.first)
		rfs_text_put_triage(&text, report);
	put_findings(&text, report);
	rfs_text_put_summary(&text, report);
	if (!report->triage.first)
		rfs_text_put_triage(&text, report);
	rfs_text_put_generated(&text, report);
	free(text.folder);
}

bool rfs_report_has_unconfirmed(const struct rfs_report *report)
{
	if (rfs_text_has_unconfirmed_pair(report))
		return true;
	for (size_t i = 0; i < report->n_deadlocks; i++)
		if (report->deadlocks[i].run.replayed == RFS_REPLAY_DIFFERENT)
			return true;
	for (size_t i = 0; i < report->n_failures; i++)
		if (report->failures[i].run.replayed == RFS_REPLAY_DIFFERENT)
			return true;
	return rfs_report_cycles_unconfirmed(&report->cycles) || rfs_report_violations_unconfirmed(&report->violations);
}

void rfs_report_write_unconfirmed(const struct rfs_report *report, bool colour, FILE *out)
{
	struct rfs_text text = {.out = out, .colour = colour, .folder = getcwd(NULL, 0)};

	rfs_text_put(&text, "What was predicted or seen, but is not a finding. \"Created\" means: made to happen.\n");
	text.created = true;
	rfs_text_put_unconfirmed_pairs(&text, report);
	for (size_t i = 0; i < report->n_deadlocks; i++)
		if (report->deadlocks[i].run.replayed == RFS_REPLAY_DIFFERENT)
			rfs_text_put_deadlock(&text, &report->deadlocks[i], report);
	for (size_t i = 0; i < report->n_failures; i++)
		if (report->failures[i].run.replayed == RFS_REPLAY_DIFFERENT)
			rfs_text_put_failure(&text, &report->failures[i], report);
	rfs_text_put_cycles(&text, report);
	rfs_text_put_violations(&text, report);
	free(text.folder);
}

static void write_counters(const struct rfs_report_sampling *samplings, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < samplings[i].n_stats; k++)
			fprintf(out, "%s.%s: %.15g\n", samplings[i].policy, samplings[i].stats[k].key,
				samplings[i].stats[k].value);
}

void rfs_report_write_stats(const struct rfs_report *report, FILE *out)
{
	for (size_t i = 0; i < report->n_stats; i++)
		fprintf(out, "%s: %.15g\n", report->stats[i].key, report->stats[i].value);
	write_counters(report->samplings, report->n_samplings, out);
	write_counters(report->explored, report->n_explored, out);
}
