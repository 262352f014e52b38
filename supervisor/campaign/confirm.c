/*
 * Phase 2: each pair under RaceFuzzer (Sen, PLDI 2008), which creates the race where it can and resolves it at random.
 *
 * A failure of a run that created the race is put down to the race by a counterfactual: the same run, replayed up to a
 * race before the failure and resolved the other way there; where at least one of five such replays passes, the race
 * made the difference. Which race it was is not known, so they are taken in turn, the last one first, and where there
 * are fewer than five, again with other draws behind the coin: of `x++` in two threads, the race that loses the update
 * is that of one's write with the other's read; the race of both writes that follows cannot mend it, however it goes
 * on.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/campaign-priv.h"
#include "supervisor/campaign/progress.h"
#include "supervisor/campaign/samplers.h"
#include "supervisor/campaign/verdict.h"
#include "supervisor/cli/options.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/record.h"
#include "supervisor/report/report.h"
#include "supervisor/state/run_result.h"
#include "supervisor/state/run_spec.h"

#define CONTINUATIONS 5

/*
 * A thread that is always kept at one statement may be the one that another needs to get to its own (figure 1 of the
 * paper: x = 1 comes before the y = 1 without which x is not read). So where the first half of the runs never created
 * the race and never reached one of its statements, in the second half every other arrival passes.
 */
#define LET_PASS "skip=50"

struct confirmation {
	struct rfs_campaign *c;
	struct rfs_pair *pair;
	struct rfs_sampler sampler; /* RaceFuzzer, or what --policy names */
	const char *options;	    /* of the policy; NULL: none */
	uint64_t first;		    /* number of the batch's first run */
};

static void make(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct confirmation *confirmation = arg;

	rfs_campaign_execution(confirmation->c, confirmation->pair->label, confirmation->first + i,
			       confirmation->sampler.policy, RFS_POINTS_SYNC, out);
	out->policy_path = confirmation->sampler.path;
	out->spec.policy_options = confirmation->options;
	out->spec.pair = &confirmation->pair->statements;
	/* stacks take time, and one run's are enough, in case that the pair is never created */
	out->spec.stood = i == 0;
}

static struct rfs_pair_failure *failure_of(struct rfs_pair *pair, const struct rfs_signature *signature, bool *is_new)
{
	struct rfs_pair_failure *failure;

	*is_new = false;
	for (size_t i = 0; i < pair->n_failures; i++)
		if (rfs_signature_equal(&pair->failures[i].signature, signature))
			return &pair->failures[i];
	*is_new = true;
	pair->failures = xreallocarray(pair->failures, pair->n_failures + 1, sizeof(*pair->failures));
	failure = &pair->failures[pair->n_failures++];
	*failure = (struct rfs_pair_failure){.signature = *signature};
	return failure;
}

/* Moves what a run described of the statements that nothing is known of yet. */
static void take_stood(struct rfs_pair *pair, struct rfs_run_result *result)
{
	for (int k = 0; k < 2; k++)
		if (!pair->stood[k].site.module) {
			pair->stood[k] = result->stood[k];
			result->stood[k] = (struct rfs_evidence){0};
		}
}

/* One line for --verbose. */
static void tell(const struct rfs_execution *execution, const struct rfs_run_result *result)
{
	struct rfs_signature signature;
	char *detail = rfs_run_failed(result, &signature) ? rfs_signature_detail(&signature) : NULL;

	rfs_note("run %s: statements reached %" PRIu64 " and %" PRIu64 " times, %" PRIu64 " races created, %s%s%s",
		 execution->name, result->reached[0], result->reached[1], result->n_created,
		 rfs_run_end_name(result->end), detail ? " " : "", detail ? detail : "");
	free(detail);
}

static bool done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	const struct confirmation *confirmation = arg;
	struct rfs_campaign *c = confirmation->c;
	struct rfs_pair *pair = confirmation->pair;
	struct rfs_pair_failure *failure;
	struct rfs_signature signature;
	bool plain = rfs_run_failed(result, &signature) && rfs_baseline_always(&c->baseline, &signature);
	bool failed = rfs_run_failed(result, &signature) && !plain, is_new;

	rfs_campaign_note(c, execution, result);
	tell(execution, result);
	/* a run that was broken off tells nothing of what it would have come to; a race that it created stands */
	if (!rfs_run_conclusive(result) && !result->n_created) {
		pair->timeouts += result->end == RFS_END_TIMEOUT;
		rfs_campaign_progress(c, false);
		return false;
	}
	pair->runs++;
	take_stood(pair, result);
	for (int k = 0; k < 2; k++) {
		pair->reached[k] += result->reached[k] > 0;
		if (result->reached[k] && !pair->first_reach[k])
			pair->first_reach[k] = confirmation->first + i + 1;
	}
	if (result->n_created) {
		c->progress.confirmed += pair->confirmed == 0;
		pair->confirmed++;
		pair->failed += failed;
	}
	rfs_campaign_progress(c, failed);
	if (!result->n_created)
		return rfs_finding_note(c, "confirm", execution, result);
	if (failed) {
		failure = failure_of(pair, &signature, &is_new);
		failure->runs++;
		if (is_new)
			rfs_saved_run_take(&failure->first, execution, result);
		return is_new;
	}
	if (pair->has_created) {
		/* one that ended shows more, and can be replayed */
		if (rfs_run_conclusive(&pair->created.result) || !rfs_run_conclusive(result))
			return false;
		rfs_saved_run_discard(c, &pair->created);
	}
	pair->has_created = true;
	rfs_saved_run_take(&pair->created, execution, result);
	pair->created.execution.plain_failure = plain;
	return true;
}

/* Does the run of a failure again with this race of it (from 0) resolved the other way. True where it passes. */
static bool passes_otherwise(struct rfs_campaign *c, const struct rfs_saved_run *kept, uint64_t race, int continuation)
{
	const char *before = kept->execution.spec.policy_options;
	char *options = xasprintf("%s%sflip=%" PRIu64 ",continue=%d", before ? before : "", before ? "," : "", race,
				  continuation);
	struct rfs_execution execution = kept->execution;
	struct rfs_run_result result;
	struct rfs_signature signature;
	bool passes = false;

	snprintf(execution.name, sizeof(execution.name), "%.50s-flip", kept->execution.name);
	execution.spec.policy_options = options;
	execution.spin = &kept->spin;
	if (rfs_campaign_one(c, &execution, false, &result, NULL)) {
		rfs_note("run %s: race %" PRIu64 " resolved the other way: %s", kept->execution.name, race + 1,
			 rfs_run_end_name(result.end));
		/* a run that did not come to that race again says nothing about it */
		if (result.policy_races > race && rfs_run_conclusive(&result))
			passes = !rfs_run_failed(&result, &signature) || rfs_baseline_always(&c->baseline, &signature);
		rfs_run_result_release(&result);
	}
	free(options);
	return passes;
}

static void attribute(struct rfs_campaign *c, struct rfs_pair_failure *failure)
{
	uint64_t races = failure->first.result.policy_races;
	unsigned in_turn = races < CONTINUATIONS ? (unsigned)races : CONTINUATIONS;

	if (failure->first.replayed != RFS_REPLAY_SAME || races == 0)
		return;
	/* only RaceFuzzer knows how to resolve a race the other way */
	if (strcmp(failure->first.execution.spec.policy->name, "racefuzzer") != 0)
		return;
	for (unsigned i = 0; i < CONTINUATIONS && !failure->attributed && c->end == RFS_POOL_DONE; i++)
		failure->attributed =
			passes_otherwise(c, &failure->first, races - 1 - i % in_turn, (int)(i / in_turn) + 1);
}

/*
 * An unconfirmed pair has no run that is kept, and predictions come without stacks (which would have to be taken at
 * every access). The first run has them where it reached the statements; else one that did is done again for them.
 */
static void look_at_statements(struct confirmation *confirmation)
{
	struct rfs_pair *pair = confirmation->pair;

	for (int k = 0; k < 2; k++) {
		struct rfs_execution execution = {0};
		struct rfs_run_result result;

		if (!pair->first_reach[k] || pair->stood[k].site.module)
			continue;
		confirmation->first = 0;
		confirmation->options = pair->let_pass_from && pair->first_reach[k] > pair->let_pass_from
						? LET_PASS
						: confirmation->sampler.options;
		make(confirmation, pair->first_reach[k] - 1, &execution);
		snprintf(execution.name, sizeof(execution.name), "%.50s-stood", pair->label);
		execution.spec.stood = true;
		if (!rfs_campaign_one(confirmation->c, &execution, false, &result, NULL))
			return;
		take_stood(pair, &result);
		rfs_run_result_release(&result);
	}
}

static const struct rfs_race *created_race(const struct rfs_pair *pair)
{
	return pair->n_failures ? &pair->failures[0].first.result.created : &pair->created.result.created;
}

static void judge(struct rfs_campaign *c, struct rfs_pair *pair)
{
	bool harmful = false, reported = false;

	pair->verdict = RFS_VERDICT_UNCONFIRMED;
	if (!pair->confirmed)
		return;
	for (size_t i = 0; i < pair->n_failures; i++) {
		struct rfs_pair_failure *failure = &pair->failures[i];

		rfs_saved_run_replay(c, &failure->first);
		attribute(c, failure);
		harmful |= failure->attributed;
		reported |= failure->first.replayed != RFS_REPLAY_DIFFERENT;
	}
	if (pair->has_created && reported) {
		/* a failing run is shown instead */
		rfs_saved_run_discard(c, &pair->created);
		pair->has_created = false;
	} else if (pair->has_created) {
		rfs_saved_run_replay(c, &pair->created);
	}
	if (rfs_pair_is_unclear(c->symbols, created_race(pair)))
		pair->verdict = RFS_VERDICT_UNCLEAR;
	else
		pair->verdict = harmful ? RFS_VERDICT_HARMFUL : RFS_VERDICT_REAL;
	/*
	 * What the race does not explain is a finding of its own; so is a deadlock or a hang, whose threads are shown
	 * there. An
	 * unclear pair is no finding, so its failures have to be.
	 */
	for (size_t i = 0; i < pair->n_failures; i++) {
		struct rfs_pair_failure *failure = &pair->failures[i];

		if (pair->verdict != RFS_VERDICT_HARMFUL || !failure->attributed ||
		    rfs_failure_shows_threads(failure->signature.kind))
			rfs_finding_adopt(c, "confirm", &failure->first, failure->runs);
	}
}

static void show(struct rfs_campaign *c, size_t number, const struct rfs_pair *pair)
{
	struct rfs_report scratch;

	/* the line is drawn from the same data as the report */
	rfs_report_init(&scratch);
	rfs_campaign_report_pair(c, pair, rfs_report_add_pair(&scratch));
	rfs_progress_pair(&c->progress, number, &scratch.pairs[0]);
	rfs_report_release(&scratch);
}

static void run_half(struct confirmation *confirmation, uint64_t first, uint64_t n, const char *options)
{
	const struct rfs_batch batch = {.n = n, .lasting = true, .make = make, .done = done, .arg = confirmation};

	confirmation->first = first;
	confirmation->options = options;
	rfs_campaign_batch(confirmation->c, &batch);
}

static void run_pair(struct confirmation *confirmation)
{
	struct rfs_pair *pair = confirmation->pair;
	uint64_t n = confirmation->c->options->runs, half = (n + 1) / 2;
	bool ours = confirmation->sampler.policy == rfs_policy_find("racefuzzer") && !confirmation->sampler.options;
	bool unreached;

	run_half(confirmation, 0, half, confirmation->sampler.options);
	unreached = ours && !pair->confirmed && (pair->reached[0] == 0 || pair->reached[1] == 0);
	pair->let_pass_from = unreached ? half : 0;
	if (unreached)
		rfs_note("%s: one statement was never reached; from now on, a thread at the other one is postponed "
			 "only every second time",
			 pair->label);
	run_half(confirmation, half, n - half, unreached ? LET_PASS : confirmation->sampler.options);
}

void rfs_confirm(struct rfs_campaign *c)
{
	struct confirmation confirmation = {.c = c, .sampler = {.policy = rfs_policy_find("racefuzzer")}};
	double started = rfs_clock();

	if (c->options->samplers.n)
		confirmation.sampler = c->options->samplers.list[0];
	rfs_campaign_phase(c, "confirm", c->n_pairs * c->options->runs, c->n_pairs);
	/* a pair that is never come to was planned all the same */
	for (size_t i = 0; i < c->n_pairs; i++)
		c->pairs[i].planned = c->options->runs;
	for (size_t i = 0; i < c->n_pairs && c->end == RFS_POOL_DONE; i++) {
		confirmation.pair = &c->pairs[i];
		c->progress.pair = i + 1;
		run_pair(&confirmation);
		judge(c, &c->pairs[i]);
		if (!c->pairs[i].confirmed)
			look_at_statements(&confirmation);
		rfs_pool_rest(c->pool);
		show(c, i + 1, &c->pairs[i]);
	}
	rfs_findings_replay(c);
	c->confirm_wall = rfs_clock() - started;
}
