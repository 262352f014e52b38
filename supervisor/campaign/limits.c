

/* A hang takes at least this much: below, start-up costs and chance decide. */
#include "supervisor/campaign/limits.h"

#include "supervisor/campaign/baseline.h"
#include "supervisor/campaign/verdict.h"
#include "supervisor/record/run_result.h"

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

void rfs_limits_init(struct rfs_limits *limits, double factor)
{
	*limits = (struct rfs_limits){.factor = factor};
}

void rfs_limits_note(struct rfs_limits *limits, const struct rfs_run_result *result)
{
	uint64_t visible = result->counts.steps + result->counts.accesses;

	if (limits->settled || !rfs_run_conclusive(result) || result->end == RFS_END_HANG)
		return;
	if (result->costs.cpu_seconds > limits->cpu_seconds)
		limits->cpu_seconds = result->costs.cpu_seconds;
	if (visible > limits->steps)
		limits->steps = visible;
}

static void set(struct rfs_limits *limits, double cpu_seconds, double steps, double spin_reads)
{
	double factor = limits->factor;

	limits->spin_free = (uint64_t)(factor * spin_reads);
	limits->cpu_limit = factor * cpu_seconds < MIN_CPU_SECONDS ? MIN_CPU_SECONDS : factor * cpu_seconds;
	limits->step_limit = factor * steps < MIN_STEPS ? MIN_STEPS : (uint64_t)(factor * steps);
}

/* That a plain run can have had. */
static double operations(const struct rfs_baseline *baseline)
{
	return baseline->cpu_seconds / OPERATION_SECONDS;
}

void rfs_limits_by_plain_runs(struct rfs_limits *limits, const struct rfs_baseline *baseline)
{
	/* if none of them came to an end, nothing is known of how long one takes */
	if (baseline->runs)
		set(limits, SLOWED_DOWN * baseline->cpu_seconds, operations(baseline), 0);
}

void rfs_limits_by_measured_run(struct rfs_limits *limits, const struct rfs_baseline *baseline, uint64_t steps)
{
	if (!steps)
		return;
	limits->steps = steps;
	/* the detector takes some loops to wait for what they read, which are no operations yet */
	set(limits, SLOWED_DOWN * baseline->cpu_seconds, (double)steps, operations(baseline));
}

void rfs_limits_by_controlled_runs(struct rfs_limits *limits, const struct rfs_baseline *baseline)
{
	bool ended = limits->cpu_seconds > 0; /* one of them did, beside the one that measures */

	if (limits->cpu_seconds < baseline->cpu_seconds)
		limits->cpu_seconds = baseline->cpu_seconds;
	limits->settled = limits->steps > 0;
	if (limits->settled && ended)
		set(limits, limits->cpu_seconds, (double)limits->steps, 0);
}
