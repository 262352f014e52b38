/*
 * How much an execution may use before it is taken to hang (design section 2, --hang-factor): visible operations and
 * the target's CPU time, as a multiple of what executions that came to an end used. Never wall time, which is a matter
 * of what else the machine does.
 *
 * Phases 2 and 3 are held against phase 1. Phase 1, and whatever comes first in other modes, is held against the plain
 * runs: they tell the CPU time, and a controlled run without a detector, which keeps to one thread for as long as that
 * can go on and so is much like a plain one, tells the number of operations.
 */
#include <stdio.h>

#include "policy/policy.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/campaign-priv.h"
#include "supervisor/campaign/progress.h"
#include "supervisor/cli/options.h"
#include "supervisor/record/record.h"
#include "supervisor/state/run_result.h"
#include "supervisor/state/run_spec.h"

/* A hang takes at least this much: below, start-up costs and chance decide. */
#define MIN_CPU_SECONDS 1.0
#define MIN_STEPS 100000
/*
 * CPU time of the target under control, to that of a plain run. Accesses that stubs record cost up to 20 times as much;
 * a malloc() that stops costs 10 us instead of 50 ns, and there may be nothing else. What stops at operations cost is
 * allowed on top (run.c).
 */
#define SLOWED_DOWN 200
/* CPU time of the cheapest visible operation of a plain run: an atomic instruction on a line in the cache. */
#define OPERATION_SECONDS 5e-9

static void set(struct rfs_campaign *c, double cpu_seconds, double steps, double spin_reads)
{
	double factor = c->options->hang_factor;

	c->spin_free = (uint64_t)(factor * spin_reads);
	c->cpu_limit = factor * cpu_seconds < MIN_CPU_SECONDS ? MIN_CPU_SECONDS : factor * cpu_seconds;
	c->step_limit = factor * steps < MIN_STEPS ? MIN_STEPS : (uint64_t)(factor * steps);
}

/* That a plain run can have had. */
static double operations(const struct rfs_campaign *c)
{
	return c->baseline.cpu_seconds / OPERATION_SECONDS;
}

void rfs_limits_by_plain_runs(struct rfs_campaign *c)
{
	/* where none of them came to an end, nothing is known of how long one takes */
	if (c->baseline.runs)
		set(c, SLOWED_DOWN * c->baseline.cpu_seconds, operations(c), 0);
}

static void make(void *arg, uint64_t i, struct rfs_execution *out)
{
	rfs_campaign_execution(arg, "measure", i, rfs_policy_find("schedule"), RFS_POINTS_SYNC, out);
}

static bool done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct rfs_campaign *c = arg;

	(void)i;
	if (result->end == RFS_END_EXIT || result->end == RFS_END_SIGNAL)
		c->steps = result->counts.steps;
	rfs_note("run %s: %s after %llu operations", execution->name, rfs_run_end_name(result->end),
		 (unsigned long long)result->counts.steps);
	return rfs_finding_note(c, "measure", execution, result);
}

void rfs_limits_measure(struct rfs_campaign *c)
{
	const struct rfs_batch batch = {.n = 1, .make = make, .done = done, .arg = c};

	/* a program that does not end by itself would not do so here either */
	if (!c->baseline.runs)
		return;
	rfs_progress_phase(&c->progress, "measure", 1, 0);
	rfs_campaign_batch(c, &batch);
	/* the detector takes some loops to wait for what they read, which are no operations yet */
	if (c->steps)
		set(c, SLOWED_DOWN * c->baseline.cpu_seconds, (double)c->steps, operations(c));
}

void rfs_limits_by_controlled_runs(struct rfs_campaign *c)
{
	bool ended = c->cpu_seconds > 0; /* one of them did, beside the one that measures */

	if (c->cpu_seconds < c->baseline.cpu_seconds)
		c->cpu_seconds = c->baseline.cpu_seconds;
	c->limited = c->steps > 0;
	if (c->limited && ended)
		set(c, c->cpu_seconds, (double)c->steps, 0);
}
