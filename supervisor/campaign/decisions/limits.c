/* limits.c - multiples of measured operations and CPU time, with least values. */
#include "supervisor/campaign/decisions/limits.h"

#include "supervisor/campaign/decisions/baseline.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/record/run_result.h"

/* The smallest limits. Below them, start-up costs and chance would matter too much. */
#define MIN_CPU_SECONDS 1.0
#define MIN_STEPS 100000
/*
 * The largest ratio of the target's CPU time in a controlled run to that in a baseline run. An access that a stub
 * records costs up to 20 times as much. A malloc() that stops costs 10 us instead of 50 ns, and the program may do
 * little else. Stops at operations are not included: cpu_used_up() in run/pump.c adds their cost.
 */
#define SLOWED_DOWN 200
/*
 * CPU time of the cheapest visible operation in a baseline run: an atomic instruction on a cache line that is already
 * in the cache.
 */
#define OPERATION_SECONDS 5e-9
/*
 * How many stops at one statement do not matter beside the other stops of a run. The least number is about the start of
 * a program; the largest is half a second.
 */
#define STOPS_FACTOR 2
#define MIN_STOPS 2000
#define MAX_STOPS 100000

void rfs_limits_init(struct rfs_limits *limits, double factor)
{
	*limits = (struct rfs_limits){.factor = factor, .stops_per_run = MIN_STOPS};
}

void rfs_limits_note(struct rfs_limits *limits, const struct rfs_run_result *result)
{
	uint64_t visible = result->counts.steps + result->counts.accesses + result->counts.early;

	if (limits->settled || !rfs_run_conclusive(result) || result->end == RFS_END_HANG)
		return;
	/* the program may have given up early, and others would seem to hang */
	if (result->n_faults)
		return;
	if (result->costs.cpu_seconds > limits->cpu_seconds)
		limits->cpu_seconds = result->costs.cpu_seconds;
	if (visible > limits->steps)
		limits->steps = visible;
}

static void limits_set(struct rfs_limits *limits, double cpu_seconds, double steps, double spin_reads)
{
	double factor = limits->factor;

	limits->spin_free = (uint64_t)(factor * spin_reads);
	limits->cpu_limit = factor * cpu_seconds < MIN_CPU_SECONDS ? MIN_CPU_SECONDS : factor * cpu_seconds;
	limits->step_limit = factor * steps < MIN_STEPS ? MIN_STEPS : (uint64_t)(factor * steps);
}

/* The largest number of operations that a baseline run can have executed. */
static double operations(const struct rfs_baseline *baseline)
{
	return baseline->cpu_seconds / OPERATION_SECONDS;
}

void rfs_limits_by_plain_runs(struct rfs_limits *limits, const struct rfs_baseline *baseline)
{
	/* if no baseline run ended, nothing shows how long a run takes */
	if (baseline->runs)
		limits_set(limits, SLOWED_DOWN * baseline->cpu_seconds, operations(baseline), 0);
}

void rfs_limits_by_measured_run(struct rfs_limits *limits, const struct rfs_baseline *baseline, uint64_t steps)
{
	if (!steps)
		return;
	limits->steps = steps;
	limits->stops_per_run = STOPS_FACTOR * steps;
	if (limits->stops_per_run < MIN_STOPS)
		limits->stops_per_run = MIN_STOPS;
	if (limits->stops_per_run > MAX_STOPS)
		limits->stops_per_run = MAX_STOPS;
	/*
	 * With a detector, some reads in loops become spin reads. The measured run had no detector, so its steps do not
	 * include spin reads. A run may therefore make as many spin reads as a baseline run can have operations, before
	 * spin reads count as steps.
	 */
	limits_set(limits, SLOWED_DOWN * baseline->cpu_seconds, (double)steps, operations(baseline));
}

void rfs_limits_by_controlled_runs(struct rfs_limits *limits, const struct rfs_baseline *baseline)
{
	bool ended = limits->cpu_seconds > 0; /* a controlled run of a phase has ended */

	if (limits->cpu_seconds < baseline->cpu_seconds)
		limits->cpu_seconds = baseline->cpu_seconds;
	limits->settled = limits->steps > 0;
	if (limits->settled && ended)
		limits_set(limits, limits->cpu_seconds, (double)limits->steps, 0);
	else if (limits->settled)
		/*
		 * All these runs were cut short, so nothing shows how many accesses a run makes. The measured run
		 * counted synchronisation only, but later runs also park at accesses.
		 */
		limits_set(limits, SLOWED_DOWN * baseline->cpu_seconds, operations(baseline), 0);
}
