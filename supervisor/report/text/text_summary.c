/* text_summary.c - writes the counts of a report for people, as its end. */
#include "supervisor/report/text/text_summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/text/plural.h"
#include "supervisor/base/text/shell_word.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/text/text_cycle.h"
#include "supervisor/report/text/text_misuse.h"
#include "supervisor/report/text/text_proof.h"
#include "supervisor/report/text/text_put.h"
#include "supervisor/report/text/text_suppressed.h"
#include "supervisor/report/text/text_violation.h"

static const struct rfs_report_phase *phase_of(const struct rfs_report *report, const char *name)
{
	for (size_t i = 0; i < report->n_phases; i++)
		if (strcmp(report->phases[i].name, name) == 0)
			return &report->phases[i];
	return NULL;
}

/* Writes "3 runs", or "1 of 3 runs" if the phase did not make all runs that were planned. */
static void put_count(struct rfs_text *text, const struct rfs_report *report, const char *name, uint64_t runs,
		      const char *word)
{
	const struct rfs_report_phase *phase = phase_of(report, name);
	uint64_t planned = phase && phase->planned > runs ? phase->planned : runs;

	rfs_text_put(text, "%" PRIu64, runs);
	if (planned > runs)
		rfs_text_put(text, " of %" PRIu64, planned);
	rfs_text_put(text, " %s%s", word, rfs_plural(planned));
}

static void put_runs(struct rfs_text *text, const struct rfs_report *report, const char *name, uint64_t runs)
{
	put_count(text, report, name, runs, "run");
}

static void put_sampling(struct rfs_text *text, const struct rfs_report_sampling *sampling)
{
	rfs_text_put(text, "            %" PRIu64 " under %s%s%s", sampling->runs,
		     sampling->policy ? sampling->policy : "?", sampling->options ? ":" : "",
		     sampling->options ? sampling->options : "");
	if (sampling->points)
		rfs_text_put(text, " at %s points", sampling->points);
	rfs_text_put(text, ", %" PRIu64 " failed", sampling->failures);
	if (sampling->first_failure)
		rfs_text_put(text, ", the first was run %" PRIu64, sampling->first_failure);
	rfs_text_put(text, "\n");
	if (sampling->has_orders)
		rfs_text_put(text,
			     "              %" PRIu64
			     " different order%s, entropy %.2f bits; the next run has a new order "
			     "with probability %.2f; estimated number of unseen orders: at least %.0f\n",
			     sampling->distinct_orders, rfs_plural(sampling->distinct_orders), sampling->entropy,
			     sampling->new_probability, sampling->unseen_orders);
	for (size_t i = 0; i < sampling->n_stats; i++)
		rfs_text_put(text, "%s%s %.15g%s", i ? ", " : "              ", sampling->stats[i].key,
			     sampling->stats[i].value, i + 1 < sampling->n_stats ? "" : "\n");
}

/* Writes phase sample: its runs, and a part for each policy. */
static void put_sampled(struct rfs_text *text, const struct rfs_report *report)
{
	const struct rfs_report_phase *phase = phase_of(report, "sample");

	if (!phase || !phase->planned)
		return;
	rfs_text_put(text, "sampled     ");
	put_runs(text, report, "sample", phase->runs);
	rfs_text_put(text, "\n");
	for (size_t i = 0; i < report->n_samplings; i++)
		put_sampling(text, &report->samplings[i]);
}

/* Writes phase explore on one line: the strategies with --verbose, otherwise how many there are. */
static void put_explored(struct rfs_text *text, const struct rfs_report *report)
{
	const struct rfs_report_phase *phase = phase_of(report, "explore");
	uint64_t failed = 0;

	if (!phase || !phase->planned)
		return;
	for (size_t i = 0; i < report->n_explored; i++)
		failed += report->explored[i].failures;
	rfs_text_put(text, "explored    ");
	put_count(text, report, "explore", phase->runs, "schedule");
	if (report->n_explored && !report->verbose) {
		rfs_text_put(text, " by %zu strateg%s", report->n_explored, report->n_explored == 1 ? "y" : "ies");
		if (failed)
			rfs_text_put(text, ", %" PRIu64 " failed", failed);
	}
	for (size_t i = 0; report->verbose && i < report->n_explored; i++) {
		const struct rfs_report_sampling *sampling = &report->explored[i];

		rfs_text_put(text, "%s%" PRIu64 " %s%s%s", i ? ", " : ": ", sampling->runs,
			     sampling->policy ? sampling->policy : "?", sampling->options ? ":" : "",
			     sampling->options ? sampling->options : "");
		if (sampling->failures)
			rfs_text_put(text, " (%" PRIu64 " failed)", sampling->failures);
	}
	rfs_text_put(text, "\n");
}

static void put_program(struct rfs_text *text, const struct rfs_report *report)
{
	rfs_text_put(text, "program     ");
	for (size_t i = 0; i < report->program.n_items; i++) {
		char *word = rfs_shell_word(report->program.items[i]);

		rfs_text_put(text, "%s%s", i ? " " : "", word);
		free(word);
	}
	rfs_text_put(text, "\nfirst seed  %" PRIu64 "\n", report->seed);
}

static void put_baseline(struct rfs_text *text, const struct rfs_report *report)
{
	if (!report->has_plain)
		return;
	rfs_text_put(text, "baseline    %" PRIu64 " of %" PRIu64 " uncontrolled runs failed", report->plain_failures,
		     report->plain_runs);
	if (report->plain_timeouts > report->plain_asleep)
		rfs_text_put(text, ", %" PRIu64 " of them because %s timed out",
			     report->plain_timeouts - report->plain_asleep,
			     report->plain_timeouts - report->plain_asleep == 1 ? "it" : "they");
	if (report->plain_asleep)
		rfs_text_put(text, ", %" PRIu64 " of them because all threads waited for each other",
			     report->plain_asleep);
	rfs_text_put(text, "\n");
}

static void put_measured(struct rfs_text *text, const struct rfs_report *report)
{
	if (report->measured)
		rfs_text_put(text, "measured    %" PRIu64 " operation%s in a run without switches (%.2f s)\n",
			     report->measured, rfs_plural(report->measured), report->measure_seconds);
}

/* Writes at which parts of the program runs looked, as there was no time for the whole. */
static void put_parts(struct rfs_text *text, const struct rfs_report *report)
{
	const char *between = "";

	if (!report->predict_parts)
		return;
	rfs_text_put(text, "; %zu of them predicted on a part only: ", report->predict_parts);
	for (size_t i = 0; i < report->predict_parts && i < RFS_REPORT_PARTS; i++, between = ", ") {
		const uint64_t *part = report->predict_part[i];

		if (part[1] == UINT64_MAX)
			rfs_text_put(text, "%sfrom operation %" PRIu64 " on", between, part[0]);
		else
			rfs_text_put(text, "%soperations %" PRIu64 " to %" PRIu64, between, part[0], part[1] - 1);
	}
}

static void put_predicted(struct rfs_text *text, const struct rfs_report *report)
{
	if (!report->has_predict)
		return;
	rfs_text_put(text, "predicted   %" PRIu64 " pair%s in ", report->predict_pairs,
		     rfs_plural(report->predict_pairs));
	put_runs(text, report, "predict", report->predict_runs);
	rfs_text_put(text, " (%.2f s)", report->predict_seconds);
	put_parts(text, report);
	if (report->later_pairs)
		rfs_text_put(text, ", and %" PRIu64 " more in %" PRIu64 " later run%s", report->later_pairs,
			     report->later_runs, rfs_plural(report->later_runs));
	rfs_text_put(text, "\n");
}

/* Writes one part of a list; nothing if n is zero. */
static void put_part(struct rfs_text *text, bool *first, uint64_t n, const char *one, const char *many,
		     const char *sequence)
{
	if (!n)
		return;
	rfs_text_put(text, "%s", *first ? "" : ", ");
	rfs_text_colour(text, sequence);
	rfs_text_put(text, "%" PRIu64 " %s", n, n == 1 ? one : many);
	rfs_text_colour(text, RFS_TEXT_PLAIN);
	*first = false;
}

/* Failures and deadlocks that were seen, but whose replays ended differently. */
static uint64_t count_not_reproduced(const struct rfs_report *report)
{
	uint64_t n = 0;

	for (size_t i = 0; i < report->n_deadlocks; i++)
		n += report->deadlocks[i].run.replayed == RFS_REPLAY_DIFFERENT;
	for (size_t i = 0; i < report->n_failures; i++)
		n += report->failures[i].run.replayed == RFS_REPLAY_DIFFERENT;
	return n;
}

/* Counts what is listed in unconfirmed.txt: the pairs that are no findings, and the failures that do not repeat. */
static void put_unconfirmed(struct rfs_text *text, const struct rfs_report *report)
{
	uint64_t listed = 0, not_created = 0, unreached = 0, not_tried = 0, unclear = 0, unordered = 0, not_reproduced;
	bool first = true;

	for (size_t i = 0; i < report->n_pairs; i++) {
		const struct rfs_report_pair *pair = &report->pairs[i];

		if (rfs_verdict_words(pair->verdict)->finding || pair->identity.suppressed)
			continue;
		if (pair->verdict == RFS_VERDICT_UNORDERED)
			unordered++;
		else if (pair->verdict != RFS_VERDICT_UNCONFIRMED)
			unclear++;
		else if (!pair->runs && !pair->tried)
			not_tried++;
		else if (pair->runs && (!pair->reached[0] || !pair->reached[1]))
			unreached++;
		else
			not_created++;
	}
	not_reproduced = count_not_reproduced(report);
	listed = not_created + unreached + not_tried + unclear + unordered + not_reproduced;
	if (!listed)
		return;
	rfs_text_put(text, "unconfirmed ");
	put_part(text, &first, not_created,
		 text->created ? "pair not created" : "pair not created (not made to happen)",
		 text->created ? "pairs not created" : "pairs not created (not made to happen)", "");
	put_part(text, &first, unreached, "pair not reached", "pairs not reached", "");
	put_part(text, &first, not_tried, "pair not tried", "pairs not tried", "");
	put_part(text, &first, unclear, "unclear race", "unclear races", "");
	put_part(text, &first, unordered, "unordered pair", "unordered pairs", "");
	put_part(text, &first, not_reproduced, "failure not reproduced", "failures not reproduced", "");
	if (report->directory)
		rfs_text_put(text, "; listed in %s/unconfirmed.txt", report->directory);
	rfs_text_put(text, "\n");
}

static const char *text_summary_colour_of(enum rfs_tone tone)
{
	return tone == RFS_TONE_ALARM ? RFS_TEXT_RED : tone == RFS_TONE_WARNING ? RFS_TEXT_YELLOW : "";
}

/* Writes the numbers of the verdicts that are findings, or of those that are not; the worst verdict first. */
static void put_verdicts(struct rfs_text *text, bool *first, const uint64_t *verdicts, bool findings)
{
	for (int i = RFS_VERDICT_COUNT; i-- > 0;) {
		const struct rfs_verdict_words *words = rfs_verdict_words((enum rfs_verdict)i);

		if (words->finding == findings)
			put_part(text, first, verdicts[i], words->one, words->many,
				 text_summary_colour_of(words->tone));
	}
}

static void put_result(struct rfs_text *text, const struct rfs_report *report)
{
	uint64_t verdicts[RFS_VERDICT_COUNT] = {0}, classes[RFS_FAILURE_CLASSES] = {0}, plain = 0, misuses = 0;
	bool first = true;

	for (size_t i = 0; i < report->n_pairs; i++)
		verdicts[report->pairs[i].verdict] += rfs_identity_counts(&report->pairs[i].identity);
	for (size_t i = 0; i < report->n_deadlocks; i++)
		classes[RFS_FAILURE_DEADLOCKED] += report->deadlocks[i].run.replayed != RFS_REPLAY_DIFFERENT &&
						   rfs_identity_counts(&report->deadlocks[i].identity);
	for (size_t i = 0; i < report->misuses.n; i++)
		misuses += report->misuses.findings && rfs_identity_counts(&report->misuses.list[i].identity);
	for (size_t i = 0; i < report->n_failures; i++) {
		const struct rfs_report_failure *failure = &report->failures[i];

		plain += failure->plain;
		if (!rfs_failure_is_finding(failure) || failure->identity.known)
			continue;
		classes[rfs_report_failure_class(failure)]++;
	}
	rfs_text_put(text, "result      ");
	put_verdicts(text, &first, verdicts, true);
	for (int i = 0; i < RFS_FAILURE_CLASSES; i++)
		put_part(text, &first, classes[i], rfs_failure_words((enum rfs_failure_class)i, false),
			 rfs_failure_words((enum rfs_failure_class)i, true), RFS_TEXT_RED);
	put_part(text, &first, misuses, "misuse", "misuses", RFS_TEXT_RED);
	if (first)
		put_part(text, &first, count_not_reproduced(report), "failure not reproduced",
			 "failures not reproduced", RFS_TEXT_YELLOW);
	if (first && (plain || report->own.failed))
		rfs_text_put(text, "the program fails in every uncontrolled run%s; nothing else found",
			     rfs_report_own_skips(report) ? ", with the status of a skipped test" : "");
	else if (first && report->plain_failures)
		rfs_text_put(text, "nothing found besides what %" PRIu64 " of %" PRIu64 " uncontrolled runs show: %s",
			     report->plain_failures, report->plain_runs,
			     report->plain_failure ? report->plain_failure : "a failure");
	else if (first)
		rfs_text_put(text, report->incomplete ? "nothing found, but incomplete" : "nothing found");
	first = false;
	put_verdicts(text, &first, verdicts, false);
	rfs_text_put(text, "\n");
}

static void put_known(struct rfs_text *text, const struct rfs_report *report)
{
	uint64_t known = 0;

	for (size_t i = 0; i < report->n_pairs; i++)
		known += report->pairs[i].identity.known;
	for (size_t i = 0; i < report->n_deadlocks; i++)
		known += report->deadlocks[i].identity.known;
	for (size_t i = 0; i < report->n_failures; i++)
		known += report->failures[i].identity.known;
	for (size_t i = 0; report->misuses.findings && i < report->misuses.n; i++)
		known += report->misuses.list[i].identity.known;
	if (report->known_in)
		rfs_text_put(text,
			     "known       %" PRIu64 " finding%s of this campaign %s in %s too; not counted below\n",
			     known, rfs_plural(known), known == 1 ? "is" : "are", report->known_in);
}

/* How many warnings the text shows; the JSON and warnings.txt have all. */
#define WARNINGS_SHOWN 5

static void put_limits(struct rfs_text *text, const struct rfs_report *report)
{
	if (report->incomplete)
		rfs_text_put(text, "incomplete  %s\n", report->incomplete);
	if (report->next)
		rfs_text_put(text, "next:       %s\n", report->next);
	if (report->interrupted && report->directory) {
		char *word = rfs_shell_word(report->directory);

		rfs_text_put(text, "continue    rfsup --continue %s\n", word);
		free(word);
	}
	if (report->part)
		rfs_text_put(text, "part        %s of a plan; rfsup --merge makes the report of all parts\n",
			     report->part);
	for (size_t i = 0; i < report->warnings.n_items && i < WARNINGS_SHOWN; i++)
		rfs_text_put(text, "note        %s\n", report->warnings.items[i]);
	if (report->uncontrolled)
		rfs_text_put(text, "not under control  %s\n", report->uncontrolled);
	if (report->process)
		rfs_text_put(text, "controlled  process %s that the program forks, because it has the threads\n",
			     report->process);
	if (report->family)
		rfs_text_put(text, "controlled  processes that the program forks, because they share memory, have "
				   "threads or get input from outside\n");
	if (!report->threaded)
		return;
	rfs_text_put(text, "not controlled  %" PRIu64 " other process%s with several threads:", report->threaded,
		     report->threaded == 1 ? "" : "es");
	for (size_t i = 0; i < report->beside.n_items; i++)
		rfs_text_put(text, "%s %s", i ? "," : "", report->beside.items[i]);
	rfs_text_put(text, "\n");
}

void rfs_text_put_summary(struct rfs_text *text, const struct rfs_report *report)
{
	put_program(text, report);
	put_baseline(text, report);
	put_measured(text, report);
	put_predicted(text, report);
	rfs_text_put_cycle_counts(text, report);
	rfs_text_put_violation_counts(text, report);
	put_explored(text, report);
	put_sampled(text, report);
	rfs_text_put_proof(text, report);
	put_unconfirmed(text, report);
	put_limits(text, report);
	rfs_text_put_misuses(text, report);
	put_known(text, report);
	rfs_text_put_suppressed(text, report);
	put_result(text, report);
	if (report->checked && report->check_difference)
		rfs_text_put(text, "self-check  not deterministic: %s\n", report->check_difference);
	else if (report->checked)
		rfs_text_put(text, "self-check  deterministic: %" PRIu64 " runs of the first finding are the same\n",
			     report->checked);
	if (report->directory)
		rfs_text_put(text, "files       %s\n", report->directory);
}
