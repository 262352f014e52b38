/* plain_runs.c - when baseline runs are made, and how findings compare with them. decisions/baseline.c makes one. */
#include "supervisor/campaign/phases/plain_runs.h"

#include <inttypes.h>
#include <stdio.h>

#include "supervisor/base/clock.h"
#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/campaign/decisions/baseline.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/executions/progress.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/settings.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/run_spec.h"

#define PLAIN_RUNS 10
/* After this many timeouts, the program is assumed not to end by itself, and no more runs are made. */
#define PLAIN_TIMEOUTS 2
/*
 * The time limit of a run on one core: ONE_CORE_SECONDS plus ONE_CORE_FACTOR times the longest run so far. A thread
 * that spins there until another one moves uses up its time slice for each step, so such a program may not end in
 * hours.
 */
#define ONE_CORE_SECONDS 5
#define ONE_CORE_FACTOR 20
/* How long a run that has reached its limit may take to end its processes. */
#define ANSWER_SECONDS 1

static void plain_runs_make(void *arg, uint64_t i, struct rfs_execution *out)
{
	struct rfs_campaign *c = arg;
	uint64_t number = c->baseline->runs + c->baseline->timeouts + 1;
	double limit;

	rfs_campaign_execution(c, "plain", i, NULL, RFS_POINTS_SYNC, out);
	snprintf(out->name, sizeof(out->name), "plain-%" PRIu64, number);
	/*
	 * Every second run may use all cores; the other runs use one core. On a loaded machine, all runs on many cores
	 * may have the same unusual order of threads.
	 */
	out->any_core = number % 2 || c->plain_spins;
	limit = ONE_CORE_SECONDS + ONE_CORE_FACTOR * c->baseline->wall_seconds;
	if (!out->any_core && c->baseline->runs && (out->spec.limits.timeout <= 0 || limit < out->spec.limits.timeout))
		out->spec.limits.timeout = limit;
}

static bool plain_runs_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct rfs_campaign *c = arg;
	struct rfs_signature unused;

	(void)i;
	/* a program that ends natively only spins: the next runs may use all cores, and this one does not count */
	if (result->end == RFS_END_TIMEOUT && result->detail != RFS_BASELINE_ASLEEP && !execution->any_core &&
	    c->baseline->runs) {
		c->plain_spins = true;
		return false;
	}
	rfs_baseline_add(c->baseline, result);
	c->progress->done++;
	rfs_progress_update(c->progress);
	return rfs_run_failed(result, &unused);
}

static uint64_t made(const struct rfs_campaign *c)
{
	return c->baseline->runs + c->baseline->timeouts;
}

/* Makes one run. False if the time for all of them is over, or the campaign has ended. */
static bool make_run(struct rfs_campaign *c)
{
	/* one at a time, even with --jobs: runs that disturb each other may fail in ways that a single run does not */
	struct rfs_batch batch = {
		.n = 1,
		.run = c->settings->plain,
		.one_by_one = true,
		.make = plain_runs_make,
		.done = plain_runs_done,
		.arg = c,
	};
	double started = rfs_clock(), share = rfs_budget_baseline(c->options->budget);
	double seconds = share - c->plain_seconds;
	enum rfs_pool_end end;

	if (c->end != RFS_POOL_DONE || (share > 0 && seconds <= 0))
		return false;
	/* the first run counts as one that does not end if it needs more; a later one is stopped and does not count */
	c->run_seconds = made(c) ? 0 : share;
	if (share > 0)
		batch.deadline = started + seconds + (made(c) ? 0 : ANSWER_SECONDS);
	end = rfs_pool_run(c->pool, &batch, c->why, sizeof(c->why));
	c->run_seconds = 0;
	c->plain_seconds += rfs_clock() - started;
	if (end != RFS_POOL_BUDGET || rfs_clock() >= c->deadline)
		c->end = end;
	return end == RFS_POOL_DONE;
}

static void make_others(struct rfs_campaign *c)
{
	rfs_progress_phase(c->progress, "baseline", PLAIN_RUNS - made(c));
	while (made(c) < PLAIN_RUNS && c->baseline->timeouts < PLAIN_TIMEOUTS && make_run(c))
		;
}

void rfs_plain_runs(struct rfs_campaign *c)
{
	rfs_progress_phase(c->progress, "baseline", 1);
	if (make_run(c) && c->baseline->failures + c->baseline->timeouts)
		make_others(c);
}

void rfs_plain_runs_rest(struct rfs_campaign *c)
{
	make_others(c);
}

void rfs_plain_runs_compare(struct rfs_campaign *c)
{
	bool failed = c->findings->n;

	for (size_t i = 0; i < c->pairs->n; i++)
		failed |= c->pairs->list[i]->n_failures > 0;
	if (failed)
		make_others(c);
}

void rfs_plain_runs_discard(struct rfs_campaign *c)
{
	for (uint64_t i = 1; i <= c->baseline->runs + c->baseline->timeouts; i++) {
		struct rfs_execution execution = {0};

		snprintf(execution.name, sizeof(execution.name), "plain-%" PRIu64, i);
		rfs_pool_discard(c->pool, &execution);
	}
}
