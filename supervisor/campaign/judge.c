#include "supervisor/campaign/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/arm.h"
#include "supervisor/campaign/baseline.h"
#include "supervisor/campaign/campaign-priv.h"
#include "supervisor/campaign/campaign_report.h"
#include "supervisor/campaign/confirm.h"
#include "supervisor/campaign/decisions.h"
#include "supervisor/campaign/executions.h"
#include "supervisor/campaign/finding.h"
#include "supervisor/campaign/pair_list.h"
#include "supervisor/campaign/progress.h"
#include "supervisor/campaign/saved_run.h"
#include "supervisor/campaign/verdict.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/report/report.h"

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
		rfs_note("run %s, repeated: at race %" PRIu64 " of the run, the other thread went first; result: %s",
			 kept->execution.name, flip->race + 1, rfs_run_end_name(result.end));
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
	if (failure->first.execution.spec.policy != rfs_confirm_racefuzzer())
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
static void look_at_statements(struct rfs_campaign *c, struct rfs_pair *pair)
{
	for (int k = 0; k < 2; k++) {
		struct rfs_execution execution = {0};
		struct rfs_run_result result;

		if (!pair->first_reach[k] || pair->stood[k].site.module)
			continue;
		rfs_confirm_make(c, pair, pair->first_reach[k] - 1, &execution);
		snprintf(execution.name, sizeof(execution.name), "%.50s-stood", pair->label);
		execution.spec.stood = true;
		if (!rfs_campaign_one(c, &execution, false, &result))
			return;
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
	if (pair->has_created && reported) {
		/* the report shows a failed run instead */
		rfs_saved_run_discard(c, &pair->created);
		pair->has_created = false;
	} else if (pair->has_created) {
		rfs_saved_run_replay(c, &pair->created);
	}
}

static void decide(struct rfs_campaign *c, struct rfs_pair *pair)
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
		attribute(c, &pair->failures[i]);
		facts.attributed |= pair->failures[i].attributed;
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

void rfs_judge(struct rfs_campaign *c, size_t number)
{
	struct rfs_pair *pair = c->pairs.list[number];

	if (pair->judged || !pair->arm.done)
		return;
	pair->judged = true;
	rfs_judge_replay(c, pair);
	decide(c, pair);
	/* with --until-failure, only the failure matters from now on */
	if (!pair->confirmed && !c->enough)
		look_at_statements(c, pair);
	show(c, number + 1, pair);
}
