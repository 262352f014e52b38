#include "supervisor/campaign/confirm.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/baseline.h"
#include "supervisor/campaign/campaign-priv.h"
#include "supervisor/campaign/campaign_report.h"
#include "supervisor/campaign/decisions.h"
#include "supervisor/campaign/executions.h"
#include "supervisor/campaign/finding.h"
#include "supervisor/campaign/options.h"
#include "supervisor/campaign/pair_list.h"
#include "supervisor/campaign/progress.h"
#include "supervisor/campaign/samplers.h"
#include "supervisor/campaign/saved_run.h"
#include "supervisor/campaign/verdict.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/report/report.h"

/* The option of racefuzzer for the second half of a pair's runs, if rfs_decide_let_pass() asks for it. */
#define LET_PASS "skip=50"

static const struct rfs_policy_ops *racefuzzer(void)
{
	return rfs_policy_find("racefuzzer");
}

struct confirmation {
	struct rfs_campaign *c;
	struct rfs_pair *pair;
	struct rfs_sampler sampler; /* RaceFuzzer, or the policy of --policy */
	const char *options;	    /* of the policy; NULL: no options */
	uint64_t first;		    /* number of the batch's first run */
};

static void confirm_make(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct confirmation *confirmation = arg;

	rfs_campaign_execution(confirmation->c, confirmation->pair->label, confirmation->first + i,
			       confirmation->sampler.policy, RFS_POINTS_SYNC, out);
	out->policy_path = confirmation->sampler.path;
	out->spec.policy_options = confirmation->options;
	out->spec.pair = &confirmation->pair->statements;
	/* stacks take time, so only the first run describes the threads that are parked at the statements */
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

/* Moves the descriptions of the two statements from a run to the pair, if the pair has none yet. */
static void take_stood(struct rfs_pair *pair, struct rfs_run_result *result)
{
	for (int k = 0; k < 2; k++)
		if (!pair->stood[k].site.module) {
			pair->stood[k] = result->stood[k];
			result->stood[k] = (struct rfs_evidence){0};
		}
}

/* Describes the run in one line, for --verbose. */
static void tell(const struct rfs_execution *execution, const struct rfs_run_result *result)
{
	struct rfs_signature signature;
	char *detail = rfs_run_failed(result, &signature) ? rfs_signature_detail(&signature) : NULL;

	rfs_note("run %s: statements reached %" PRIu64 " and %" PRIu64 " times, %" PRIu64 " races created, %s%s%s",
		 execution->name, result->reached[0], result->reached[1], result->n_created,
		 rfs_run_end_name(result->end), detail ? " " : "", detail ? detail : "");
	free(detail);
}

static bool confirm_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
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
	/* a run that did not end by itself counts only if it created the race */
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
		/*
		 * If the saved run did not end by itself, a run that did end replaces it, because such a run can be
		 * replayed.
		 */
		if (rfs_run_conclusive(&pair->created.result) || !rfs_run_conclusive(result))
			return false;
		rfs_saved_run_discard(c, &pair->created);
	}
	pair->has_created = true;
	rfs_saved_run_take(&pair->created, execution, result);
	pair->created.execution.plain_failure = plain;
	return true;
}

/* Makes a failed run again, with one race resolved the other way. True if the run passes. */
static bool passes_otherwise(struct rfs_campaign *c, const struct rfs_saved_run *kept, const struct rfs_flip *flip)
{
	const char *before = kept->execution.spec.policy_options;
	char *options = xasprintf("%s%sflip=%" PRIu64 ",continue=%u", before ? before : "", before ? "," : "",
				  flip->race, flip->continuation);
	struct rfs_execution execution = kept->execution;
	struct rfs_run_result result;
	struct rfs_signature signature;
	bool passes = false;

	snprintf(execution.name, sizeof(execution.name), "%.50s-flip", kept->execution.name);
	execution.spec.policy_options = options;
	execution.lessons = &kept->lessons;
	if (rfs_campaign_one(c, &execution, false, &result)) {
		rfs_note("run %s, made again with the other thread first at race %" PRIu64 ": %s", kept->execution.name,
			 flip->race + 1, rfs_run_end_name(result.end));
		/* a run that did not reach that race again shows nothing about it */
		if (result.counters[RFS_COUNTER_RACES] > flip->race && rfs_run_conclusive(&result))
			passes = !rfs_run_failed(&result, &signature) || rfs_baseline_always(&c->baseline, &signature);
		rfs_run_result_release(&result);
	}
	free(options);
	return passes;
}

static void attribute(struct rfs_campaign *c, struct rfs_pair_failure *failure)
{
	uint64_t races = failure->first.result.counters[RFS_COUNTER_RACES];
	struct rfs_flip flip;

	if (failure->first.replayed != RFS_REPLAY_SAME)
		return;
	/* only RaceFuzzer can resolve a race the other way */
	if (failure->first.execution.spec.policy != racefuzzer())
		return;
	for (unsigned i = 0; rfs_decide_flip(races, i, &flip); i++) {
		if (failure->attributed || c->end != RFS_POOL_DONE)
			break;
		failure->attributed = passes_otherwise(c, &failure->first, &flip);
	}
}

/*
 * Gets the stacks of an unconfirmed pair. No run is saved for such a pair, and a prediction has no stacks, because a
 * stack at every access would cost too much. The first run has described the statements that it reached. For a
 * statement that only a later run reached, this run is made again with stacks.
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
		confirm_make(confirmation, pair->first_reach[k] - 1, &execution);
		snprintf(execution.name, sizeof(execution.name), "%.50s-stood", pair->label);
		execution.spec.stood = true;
		if (!rfs_campaign_one(confirmation->c, &execution, false, &result))
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
	struct rfs_pair_facts facts = {
		.planned = pair->planned,
		.runs = pair->runs,
		.timeouts = pair->timeouts,
		.reached = {pair->reached[0], pair->reached[1]},
		.confirmed = pair->confirmed,
		.failed = pair->failed,
	};
	bool reported = false;

	for (size_t i = 0; i < pair->n_failures; i++) {
		struct rfs_pair_failure *failure = &pair->failures[i];

		rfs_saved_run_replay(c, &failure->first);
		attribute(c, failure);
		facts.attributed |= failure->attributed;
		reported |= failure->first.replayed != RFS_REPLAY_DIFFERENT;
	}
	if (pair->has_created && reported) {
		/* the report shows a failed run instead */
		rfs_saved_run_discard(c, &pair->created);
		pair->has_created = false;
	} else if (pair->has_created) {
		rfs_saved_run_replay(c, &pair->created);
	}
	facts.unclear = pair->confirmed && rfs_pair_is_unclear(c->symbols, created_race(pair));
	facts.frees = pair->confirmed && rfs_race_frees(created_race(pair));
	pair->verdict = rfs_decide_verdict(&facts);
	/*
	 * Some failures must be separate findings. If a failure is not attributed to the race, the pair does not
	 * report it. If the pair is unclear, it is not a finding. If the failure is a deadlock or a hang, only a
	 * finding shows the threads.
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

	/* the line is made from the data of a report */
	rfs_report_init(&scratch);
	rfs_campaign_report_pair(c, pair, rfs_report_add_pair(&scratch));
	rfs_progress_pair(&c->progress, number, &scratch.pairs[0]);
	rfs_report_release(&scratch);
}

static void run_half(struct confirmation *confirmation, uint64_t first, uint64_t n, const char *options)
{
	const struct rfs_batch batch = {
		.n = n, .lasting = true, .make = confirm_make, .done = confirm_done, .arg = confirmation};

	confirmation->first = first;
	confirmation->options = options;
	rfs_campaign_batch(confirmation->c, &batch);
}

static void run_pair(struct confirmation *confirmation)
{
	struct rfs_pair *pair = confirmation->pair;
	uint64_t n = confirmation->c->options->runs, half = (n + 1) / 2;
	bool ours = confirmation->sampler.policy == racefuzzer() && !confirmation->sampler.options;
	bool unreached;

	run_half(confirmation, 0, half, confirmation->sampler.options);
	unreached = ours && rfs_decide_let_pass(pair->confirmed, pair->reached);
	pair->let_pass_from = unreached ? half : 0;
	if (unreached)
		rfs_note("%s: one statement was never reached; from now on, a thread at the other one is postponed "
			 "only every second time",
			 pair->label);
	run_half(confirmation, half, n - half, unreached ? LET_PASS : confirmation->sampler.options);
}

void rfs_confirm(struct rfs_campaign *c)
{
	struct confirmation confirmation = {.c = c, .sampler = {.policy = racefuzzer()}};
	double started = rfs_clock();

	/* the policies of the sampling mode have found the pairs; RaceFuzzer creates them */
	if (c->options->samplers.n && c->options->mode != RFS_MODE_SAMPLE)
		confirmation.sampler = c->options->samplers.list[0];
	rfs_campaign_phase(c, "confirm", c->pairs.n * c->options->runs, c->pairs.n);
	/* even if the campaign ends before it tries a pair, the pair's runs count as planned */
	for (size_t i = 0; i < c->pairs.n; i++)
		c->pairs.list[i].planned = c->options->runs;
	for (size_t i = 0; i < c->pairs.n && c->end == RFS_POOL_DONE; i++) {
		confirmation.pair = &c->pairs.list[i];
		c->progress.pair = i + 1;
		run_pair(&confirmation);
		judge(c, &c->pairs.list[i]);
		if (!c->pairs.list[i].confirmed)
			look_at_statements(&confirmation);
		rfs_pool_rest(c->pool);
		show(c, i + 1, &c->pairs.list[i]);
	}
	rfs_findings_replay(c);
	c->confirm_seconds = rfs_clock() - started;
}
