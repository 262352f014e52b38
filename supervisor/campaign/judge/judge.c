/* judge.c - carries out the tests that verdicts need, and asks decisions/ for the verdicts. */
#include "supervisor/campaign/judge/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/campaign/decisions/decisions.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/ending.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/executions/progress.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/failures/harm.h"
#include "supervisor/campaign/failures/saved_run.h"
#include "supervisor/campaign/judge/cause.h"
#include "supervisor/campaign/judge/order_output.h"
#include "supervisor/campaign/judge/second_look.h"
#include "supervisor/campaign/predicted/confirm.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/predicted/pair_report.h"
#include "supervisor/campaign/predicted/violations.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/report/data/report.h"

/* ---- the test of a failure (harm.h) ---- */

static char *make_order(void *arg, const struct rfs_harm_run *run, struct rfs_execution *out)
{
	return rfs_confirm_order(arg, run, out);
}

/* A run that did not come to the race again shows nothing about it. */
static bool order_counts(void *arg, const struct rfs_harm_run *run, const struct rfs_run_result *result)
{
	(void)arg;
	return result->counters[RFS_COUNTER_RACES] > run->race;
}

static void test_failure(struct rfs_campaign *c, struct rfs_pair_failure *failure)
{
	const struct rfs_harm_case test = {
		.races = failure->first.result.counters[RFS_COUNTER_RACES],
		.name = failure->first.execution.name,
		.signature = failure->key.signature,
		.slow = failure->key.signature.kind == RFS_FAILURE_HANG,
		.make = make_order,
		.counts = order_counts,
		.arg = &failure->first,
	};

	/* only RaceFuzzer can resolve a race the other way */
	if (!failure->tested &&
	    (failure->first.replayed == RFS_REPLAY_SAME || failure->first.replayed == RFS_REPLAY_ALIKE) &&
	    failure->first.execution.spec.policy == rfs_confirm_racefuzzer()) {
		failure->tested = !rfs_ending_over(c);
		rfs_harm_test(c, &test, &failure->harm);
	}
}

/* ---- pairs ---- */

/*
 * Gets the stacks of an unconfirmed pair. No run is saved for such a pair, and a prediction has no stacks, because a
 * stack at every access would cost too much. The first run has described the statements that it reached. For a
 * statement that only a later run reached, this run is made again with stacks.
 */
static void look_at_statements(struct rfs_campaign *c, struct rfs_pair *pair)
{
	for (int k = 0; k < 2; k++) {
		struct rfs_execution execution = {0};
		struct rfs_run_result result;

		if (!pair->first_reach[k] || pair->stood[k].site.module)
			continue;
		rfs_confirm_make(c, pair, pair->first_reach[k] - 1, &execution);
		snprintf(execution.name, sizeof(execution.name), "%.50s-stood", pair->label);
		execution.spec.wanted.stood = true;
		if (!rfs_campaign_one(c, &execution, false, &result)) {
			c->ending->stacks++;
			return;
		}
		rfs_confirm_take_stood(pair, &result);
		rfs_run_result_release(&result);
	}
}

static const struct rfs_race *created_race(const struct rfs_pair *pair)
{
	return pair->n_failures ? &pair->failures[0].first.result.created : &pair->created.result.created;
}

void rfs_judge_replay(struct rfs_campaign *c, struct rfs_pair *pair)
{
	bool reported = false;

	for (size_t i = 0; i < pair->n_failures; i++) {
		rfs_saved_run_replay(c, &pair->failures[i].first);
		reported |= pair->failures[i].first.replayed != RFS_REPLAY_DIFFERENT;
	}
	if (pair->has_created && reported && rfs_pair_use_after_free(pair) != &pair->created) {
		/* the report shows a failed run instead */
		rfs_saved_run_discard(c, &pair->created);
		pair->has_created = false;
	} else if (pair->has_created) {
		rfs_saved_run_replay(c, &pair->created);
	}
}

static void decide_verdict(struct rfs_campaign *c, struct rfs_pair *pair)
{
	struct rfs_pair_facts facts = {
		.planned = pair->arm.planned,
		.runs = pair->runs,
		.timeouts = pair->timeouts,
		.reached = {pair->reached[0], pair->reached[1]},
		.confirmed = pair->confirmed,
		.failed = pair->failed,
	};

	for (size_t i = 0; i < pair->n_failures; i++) {
		pair->failures[i].attributed = rfs_harm_shown(&pair->failures[i].harm);
		facts.attributed |= pair->failures[i].attributed;
	}
	facts.unclear = pair->confirmed && rfs_pair_is_unclear(c->symbols, created_race(pair));
	facts.calls = pair->confirmed && rfs_race_is_of_calls(created_race(pair));
	facts.interrupts = pair->confirmed && created_race(pair)->interrupts;
	facts.use_after_free = rfs_pair_use_after_free(pair) != NULL;
	pair->verdict = rfs_decide_verdict(&facts);
	/*
	 * Some failures must be separate findings. If a failure is not attributed to the race, the pair does not
	 * report it. If the pair is unclear, it is not a finding. If the failure is a deadlock or a hang, only a
	 * finding shows the threads.
	 */
	for (size_t i = 0; i < pair->n_failures; i++) {
		struct rfs_pair_failure *failure = &pair->failures[i];

		if (pair->verdict != RFS_VERDICT_HARMFUL || !failure->attributed ||
		    rfs_failure_shows_threads(failure->key.signature.kind))
			rfs_finding_adopt(c, "confirm", &failure->first, failure->runs);
	}
}

static void judge_show(struct rfs_campaign *c, size_t number, const struct rfs_pair *pair)
{
	struct rfs_report scratch;

	/* the line is made from the data of a report */
	rfs_report_init(&scratch);
	rfs_pair_report_fill(c, pair, rfs_report_add_pair(&scratch));
	rfs_progress_pair(c->progress, number, &scratch.pairs[0]);
	rfs_report_release(&scratch);
}

static void decide(struct rfs_campaign *c, size_t number)
{
	struct rfs_pair *pair = c->pairs->list[number];

	pair->decided = true;
	decide_verdict(c, pair);
	judge_show(c, number + 1, pair);
}

void rfs_judge(struct rfs_campaign *c, size_t number)
{
	struct rfs_pair *pair = c->pairs->list[number];

	if (pair->judged || !pair->arm.done)
		return;
	pair->judged = true;
	rfs_judge_replay(c, pair);
	for (size_t i = 0; i < pair->n_failures; i++)
		test_failure(c, &pair->failures[i]);
	/* with --until-failure, only the failure matters from now on */
	if (!pair->confirmed && !c->enough)
		look_at_statements(c, pair);
	if (!pair->n_failures)
		decide(c, number);
}

/* Corrects the values of all failures that were tested. */
static void judge_correct(struct rfs_campaign *c)
{
	struct rfs_harm **harms = NULL;
	size_t n = 0;

	for (size_t i = 0; i < c->pairs->n; i++)
		for (size_t k = 0; k < c->pairs->list[i]->n_failures; k++) {
			harms = xreallocarray(harms, n + 1, sizeof(*harms));
			harms[n++] = &c->pairs->list[i]->failures[k].harm;
		}
	for (size_t i = 0; i < c->violations->n; i++) {
		harms = xreallocarray(harms, n + 1, sizeof(*harms));
		harms[n++] = &c->violations->list[i]->harm;
	}
	if (n)
		rfs_harms_correct(harms, n);
	free(harms);
}

void rfs_judge_end(struct rfs_campaign *c)
{
	judge_correct(c);
	for (size_t i = 0; i < c->pairs->n; i++)
		if (c->pairs->list[i]->judged && !c->pairs->list[i]->decided)
			decide(c, i);
}

/*
 * Whether this failure is tested now. Under a budget, the runs of a test that hang would use the time of other pairs,
 * so only the first failure is tested if it is a hang.
 */
static bool is_tested_now(const struct rfs_campaign *c, enum rfs_failure_kind kind)
{
	return !rfs_ending_over(c) && (c->options->budget <= 0 || kind != RFS_FAILURE_HANG || !c->first_judged);
}

void rfs_judge_new(struct rfs_campaign *c)
{
	const double whole = c->options->budget;

	if (whole > 0)
		rfs_ending_until(c, rfs_budget_tests(whole));
	for (size_t i = 0; i < c->pairs->n; i++)
		for (size_t k = 0; k < c->pairs->list[i]->n_failures; k++)
			rfs_saved_run_replay(c, &c->pairs->list[i]->failures[k].first);
	rfs_findings_replay(c);
	rfs_second_look(c);
	for (size_t i = 0; i < c->pairs->n; i++)
		for (size_t k = 0; k < c->pairs->list[i]->n_failures; k++)
			if (is_tested_now(c, c->pairs->list[i]->failures[k].key.signature.kind)) {
				test_failure(c, &c->pairs->list[i]->failures[k]);
				c->first_judged = true;
			}
	for (size_t i = 0; i < c->violations->n; i++)
		if (c->violations->list[i]->has_failed && is_tested_now(c, c->violations->list[i]->signature.kind)) {
			rfs_violation_test(c, c->violations->list[i]);
			c->first_judged = true;
		}
	if (whole > 0)
		rfs_ending_until(c, 0);
}

void rfs_judge_all(struct rfs_campaign *c)
{
	const double whole = c->options->budget;

	rfs_ending_until(c, rfs_budget_tests(whole));
	for (size_t i = 0; i < c->pairs->n; i++)
		if (!c->pairs->list[i]->judged)
			rfs_judge_replay(c, c->pairs->list[i]);
	rfs_findings_replay(c);
	for (size_t i = 0; i < c->pairs->n; i++)
		if (c->pairs->list[i]->confirmed)
			rfs_judge(c, i);
	for (size_t i = 0; i < c->pairs->n; i++)
		rfs_judge(c, i);
	rfs_causes_test(c);
	rfs_violations_test(c);
	rfs_judge_end(c);
	rfs_violations_look(c);
	rfs_order_outputs_test(c);
	/* failures that are not attributed to a race have become findings */
	rfs_ending_until(c, rfs_budget_replays(whole));
	rfs_findings_replay(c);
	rfs_ending_until(c, 0);
}
