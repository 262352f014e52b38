/* reasons.c - a function for each reason, in the order of the line. Each adds its text if it applies. */
#include "supervisor/campaign/output/reasons.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/campaign/decisions/baseline.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/ending.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/executions/incomplete.h"
#include "supervisor/campaign/executions/tally.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/failures/saved_run.h"
#include "supervisor/campaign/phases/plan_items.h"
#include "supervisor/campaign/phases/prove.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/settings.h"
#include "supervisor/campaign/triage/triage.h"
#include "supervisor/pool/job.h"
#include "supervisor/report/data/report.h"

/* Begins the next reason why the campaign is incomplete: a separator, then `head`. */
static void put_reason(FILE *out, const char *head)
{
	fprintf(out, "%s%s", ftell(out) > 0 ? "; " : "", head);
}

/* What runs of a phase are counted in a reason. */
enum lost { LOST_NOT_DONE, LOST_TIMED_OUT, LOST_CUT };

/* Writes HEAD "180 of 300 runs of confirm, 200 of 200 runs of explore". */
static void put_phases(const struct rfs_campaign *c, const char *head, enum lost what, FILE *out)
{
	bool first = true;

	for (size_t i = 0; i < c->phases->n; i++) {
		const struct rfs_phase *phase = &c->phases->list[i];
		uint64_t n = what == LOST_NOT_DONE    ? phase->planned - phase->runs
			     : what == LOST_TIMED_OUT ? phase->timeouts
						      : phase->cut;

		if (!n)
			continue;
		if (first)
			put_reason(out, head);
		fprintf(out, "%s%" PRIu64 " of %" PRIu64 " runs of %s", first ? "" : ", ", n,
			what == LOST_NOT_DONE ? phase->planned : phase->runs, phase->name);
		first = false;
	}
}

/* How many saved runs were not replayed. */
static uint64_t replays_left_out(const struct rfs_campaign *c)
{
	uint64_t n = 0;

	for (size_t i = 0; i < c->findings->n; i++)
		n += !c->findings->list[i].borrowed && c->findings->list[i].first->left_out;
	for (size_t i = 0; i < c->pairs->n; i++) {
		const struct rfs_pair *pair = c->pairs->list[i];

		n += pair->has_created && pair->created.left_out;
		for (size_t k = 0; k < pair->n_failures; k++)
			n += pair->failures[k].first.left_out;
	}
	return n;
}

/* True if something was left out at the end. */
static bool end_was_cut(const struct rfs_campaign *c)
{
	return replays_left_out(c) + c->ending->tests + c->ending->stacks + c->ending->stories > 0;
}

static void put_count(FILE *out, bool *first, uint64_t n, const char *one, const char *many)
{
	if (!n)
		return;
	fprintf(out, "%s%" PRIu64 " %s", *first ? "" : ", ", n, n == 1 ? one : many);
	*first = false;
}

/* Writes what was left out at the end, such as "2 replays, 40 runs that test failures". */
static void put_left_out(const struct rfs_campaign *c, FILE *out)
{
	bool first = true;

	put_count(out, &first, replays_left_out(c), "replay", "replays");
	put_count(out, &first, c->ending->tests, "run that tests a failure", "runs that test failures");
	put_count(out, &first, c->ending->stacks, "run for a stack", "runs for stacks");
	put_count(out, &first, c->ending->stories, "simplification", "simplifications");
}

/* Writes what the budget cut. */
static void put_cuts(const struct rfs_campaign *c, FILE *out)
{
	char head[64];

	snprintf(head, sizeof(head), "the budget of %g s was used up; not done: ", c->settings->options->budget);
	put_phases(c, head, LOST_NOT_DONE, out);
	put_phases(c, "cut short by the budget: ", LOST_CUT, out);
	if (end_was_cut(c)) {
		put_reason(out, "no time at the end for ");
		put_left_out(c, out);
	}
	fputs("; set a larger --budget, or plan fewer runs", out);
}

bool rfs_reasons_was_cut(const struct rfs_campaign *c)
{
	uint64_t n = end_was_cut(c);

	for (size_t i = 0; i < c->phases->n; i++)
		n += c->phases->list[i].cut + c->phases->list[i].planned - c->phases->list[i].runs;
	return n && c->options->budget > 0 && !c->enough && (c->end == RFS_POOL_DONE || c->end == RFS_POOL_BUDGET);
}

char *rfs_plain_failure(const struct rfs_campaign *c)
{
	const struct rfs_signature *crash = rfs_baseline_crash(c->baseline);

	if (crash)
		return rfs_signature_detail(crash);
	if (!c->baseline->timeouts)
		return NULL;
	if (c->baseline->asleep == c->baseline->timeouts)
		return xstrdup("asleep for good");
	return xstrdup(c->options->budget > 0 ? "no end within a tenth of the budget" : "no end");
}

/* Whether a finding may be what the uncontrolled runs show. */
static bool has_findings(const struct rfs_campaign *c)
{
	for (size_t i = 0; i < c->findings->n; i++)
		if (!c->findings->list[i].plain)
			return true;
	for (size_t i = 0; i < c->pairs->n; i++)
		if (rfs_verdict_words(c->pairs->list[i]->verdict)->finding)
			return true;
	return false;
}

/* A program that fails without control is never reported as clean: the code after the failure was not tested. */
static void put_plain(const struct rfs_campaign *c, FILE *out)
{
	const struct rfs_baseline *baseline = c->baseline;
	uint64_t runs = baseline->runs + baseline->timeouts, failures = baseline->failures + baseline->timeouts;
	bool always = rfs_baseline_fails(baseline);
	char *detail;

	if (!failures || (!always && has_findings(c)))
		return;
	put_reason(out, always ? "the program fails without rfsup: " : "");
	detail = rfs_plain_failure(c);
	fprintf(out, "%" PRIu64 " of %" PRIu64 " uncontrolled runs failed (%s)", failures, runs, detail);
	free(detail);
	if (always)
		fputs("; what comes after the failure was not tested, so correct it first", out);
}

/* A failure that was seen is said, though its replay ended differently. */
static void put_not_reproduced(const struct rfs_campaign *c, FILE *out)
{
	for (size_t i = 0; i < c->findings->n; i++) {
		const struct rfs_finding *finding = &c->findings->list[i];
		const struct rfs_saved_run *kept = finding->first;
		char *detail;

		if (kept->replayed != RFS_REPLAY_DIFFERENT || finding->plain)
			continue;
		detail = rfs_signature_detail(&finding->key.signature);
		put_reason(out, "");
		fprintf(out, "%s%s%s in %" PRIu64 " of %" PRIu64 " controlled runs was not reproduced by replays",
			detail ? detail : rfs_failure_name(finding->key.signature.kind),
			finding->key.where && detail ? " in " : "",
			finding->key.where && detail ? finding->key.where : "", finding->runs, c->tally->runs);
		fprintf(out, ": %s", kept->reason ? kept->reason : "--verify shows what differs between runs");
		free(detail);
	}
}

/* Without a load, the code that serves clients was not tested. */
static void put_no_load(const struct rfs_campaign *c, FILE *out)
{
	char *how;

	if (!c->tally->no_load.runs)
		return;
	put_reason(out, "");
	how = rfs_tally_driver_end(c->tally->no_load.status);
	fprintf(out,
		"the --drive command %s before the program had any input from it, in %" PRIu64 " of %" PRIu64
		" runs; run the command beside the program without rfsup, and let it wait until the program is ready",
		how, c->tally->no_load.runs, c->tally->runs);
	free(how);
}

/* The program may fail only because rfsup is there, so such a failure is no finding. */
static void put_refused(const struct rfs_campaign *c, FILE *out)
{
	if (!c->tally->refused)
		return;
	put_reason(out, "");
	fprintf(out,
		"%" PRIu64 " of %" PRIu64
		" runs failed after rfsup had refused ptrace(2) or an untraced clone(2), because rfsup traces the "
		"program; such a failure does not count, so test the program without this call",
		c->tally->refused, c->tally->runs);
}

/* Whether this is a part of a plan. What is true of the whole plan makes no part incomplete: that part would be
 * repeated in vain. The report of the whole plan says it. */
static bool is_part(const struct rfs_campaign *c)
{
	return c->settings->plan && !c->settings->plan->makes && !c->settings->plan->whole;
}

static void put_reasons(const struct rfs_campaign *c, FILE *out)
{
	bool detected = c->options->mode == RFS_MODE_CAMPAIGN &&
			(!c->options->detector || strcmp(c->options->detector, "none") != 0);

	switch (c->end) {
	case RFS_POOL_INTERRUPTED:
		put_reason(out, "interrupted");
		break;
	case RFS_POOL_FAILED:
		put_reason(out, c->why);
		break;
	case RFS_POOL_BUDGET:
	case RFS_POOL_ENOUGH:
	case RFS_POOL_DONE:
		break;
	}
	if (c->missing) {
		put_reason(out, "these parts of the plan were not carried out: ");
		fputs(c->missing, out);
	}
	if (c->enough)
		put_reason(out, "stopped at the first failure");
	if (rfs_reasons_was_cut(c))
		put_cuts(c, out);
	else if (c->enough || (c->end != RFS_POOL_DONE && c->end != RFS_POOL_BUDGET))
		put_phases(c, "not done: ", LOST_NOT_DONE, out);
	put_phases(c, "timed out: ", LOST_TIMED_OUT, out);
	if (c->phases->replay_timeouts)
		put_reason(out, "replays timed out");
	if (c->phases->stuck) {
		put_reason(out, "when its time was over, ");
		fputs(c->phases->stuck, out);
	}
	put_not_reproduced(c, out);
	put_no_load(c, out);
	put_refused(c, out);
	if (!is_part(c)) {
		put_plain(c, out);
		for (size_t i = 0; i < c->incomplete->n; i++)
			put_reason(out, c->incomplete->reasons[i]);
	}
	if (rfs_report_proof_incomplete(c->proof))
		put_reason(out, rfs_report_proof_incomplete(c->proof));
	if (c->triage && rfs_triage_unmatched(c->triage)) {
		put_reason(out, "");
		fprintf(out, "%lu of the reports could not be matched with the program",
			rfs_triage_unmatched(c->triage));
	}
	if (c->end != RFS_POOL_DONE || c->tally->timeouts || is_part(c))
		return;
	if (rfs_campaign_one_schedule(c))
		put_reason(out, RFS_ONE_THREAD);
	else if (c->tally->max_threads > 1 && detected && c->tally->runs && c->tally->accesses == 0)
		put_reason(out, "the program never executed a watched access");
}

void rfs_reasons_add(const struct rfs_campaign *c, struct rfs_report *report)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = xopen_memstream(&text, &n);

	put_reasons(c, out);
	fclose(out);
	if (n)
		report->incomplete = text;
	else
		free(text);
}
