#include "supervisor/campaign/plain_runs.h"

#include <inttypes.h>
#include <stdio.h>

#include "supervisor/base/clock.h"
#include "supervisor/campaign/baseline.h"
#include "supervisor/campaign/campaign-priv.h"
#include "supervisor/campaign/executions.h"
#include "supervisor/campaign/progress.h"
#include "supervisor/campaign/verdict.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/run_spec.h"

#define PLAIN_RUNS 10
/* After this many timeouts, the program is assumed not to end by itself, and no more runs are made. */
#define PLAIN_TIMEOUTS 3

static void plain_runs_make(void *arg, uint64_t i, struct rfs_execution *out)
{
	struct rfs_campaign *c = arg;
	uint64_t number = c->baseline.runs + c->baseline.timeouts + 1;

	rfs_campaign_execution(c, "plain", i, NULL, RFS_POINTS_SYNC, out);
	snprintf(out->name, sizeof(out->name), "plain-%" PRIu64, number);
	/*
	 * Every second run may use all cores; the other runs use one core. On a loaded machine, all runs on many cores
	 * may have the same unusual order of threads.
	 */
	out->any_core = number % 2;
}

static bool plain_runs_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct rfs_campaign *c = arg;
	struct rfs_signature unused;

	(void)i;
	(void)execution;
	rfs_baseline_add(&c->baseline, result);
	c->progress.done++;
	rfs_progress_update(&c->progress);
	return rfs_run_failed(result, &unused);
}

void rfs_plain_runs(struct rfs_campaign *c)
{
	/* one at a time, even with --jobs: runs that disturb each other may fail in ways that a single run does not */
	const struct rfs_batch batch = {
		.n = 1,
		.run = c->settings.plain,
		.one_by_one = true,
		.make = plain_runs_make,
		.done = plain_runs_done,
		.arg = c,
	};
	double started = rfs_clock();

	rfs_progress_phase(&c->progress, "plain", PLAIN_RUNS, 0);
	for (int i = 0; i < PLAIN_RUNS && c->baseline.timeouts < PLAIN_TIMEOUTS; i++)
		rfs_campaign_batch(c, &batch);
	c->plain_seconds = rfs_clock() - started;
}

void rfs_plain_runs_discard(struct rfs_campaign *c)
{
	for (uint64_t i = 1; i <= c->baseline.runs + c->baseline.timeouts; i++) {
		struct rfs_execution execution = {0};

		snprintf(execution.name, sizeof(execution.name), "plain-%" PRIu64, i);
		rfs_pool_discard(c->pool, &execution);
	}
}
