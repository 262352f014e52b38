

/* A hang uses at least this much; below it, start-up costs and chance matter too much. */
#include "supervisor/campaign/limits.h"

#include "supervisor/campaign/baseline.h"
#include "supervisor/campaign/verdict.h"
#include "supervisor/record/run_result.h"

#define MIN_CPU_SECONDS 1.0
#define MIN_STEPS 100000
/*
 * CPU time of the target under control, relative to a baseline run. Accesses that stubs record cost up to 20 times as
 * much. A malloc() that stops costs 10 us instead of 50 ns, and the program may do nothing else. The cost of stops at
 * operations is added separately (run.c).
 */
#define SLOWED_DOWN 200
/* CPU time of the cheapest visible operation in a baseline run: an atomic instruction on a cached line. */
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

/* The most operations that a baseline run can have had. */
static double operations(const struct rfs_baseline *baseline)
{
	return baseline->cpu_seconds / OPERATION_SECONDS;
}

void rfs_limits_by_plain_runs(struct rfs_limits *limits, const struct rfs_baseline *baseline)
{
	/* if no baseline run ended, it is not known how long one takes */
	if (baseline->runs)
		set(limits, SLOWED_DOWN * baseline->cpu_seconds, operations(baseline), 0);
}

void rfs_limits_by_measured_run(struct rfs_limits *limits, const struct rfs_baseline *baseline, uint64_t steps)
{
	if (!steps)
		return;
	limits->steps = steps;
	/* with a detector, some loops become waits for what they read; these waits are no operations in the measured
	 * run */
	set(limits, SLOWED_DOWN * baseline->cpu_seconds, (double)steps, operations(baseline));
}

void rfs_limits_by_controlled_runs(struct rfs_limits *limits, const struct rfs_baseline *baseline)
{
	bool ended = limits->cpu_seconds > 0; /* some run ended, besides the measuring one */

	if (limits->cpu_seconds < baseline->cpu_seconds)
		limits->cpu_seconds = baseline->cpu_seconds;
	limits->settled = limits->steps > 0;
	if (limits->settled && ended)
		set(limits, limits->cpu_seconds, (double)limits->steps, 0);
}
