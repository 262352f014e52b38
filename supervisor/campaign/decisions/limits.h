/*
 * limits.h - how much an execution may use before it counts as a hang (--hang-factor).
 *
 * There are two limits: visible operations, and CPU time of the target. Each is a multiple of what other executions
 * used that ended by themselves. Real time has no such limit, because it depends on the load of the machine.
 *
 * For phases confirm and explore, the other executions are the runs of phase predict. For phase predict, and for the
 * first phase of other modes, the CPU time comes from the baseline runs. The number of operations comes from one
 * controlled run without a detector (measure.h). Its policy switches threads only when it must, so the run is much
 * like a baseline run.
 */
#ifndef RFS_LIMITS_H
#define RFS_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_baseline;
struct rfs_run_result;

struct rfs_limits {
	double factor;
	double cpu_seconds; /* the largest CPU time of a controlled run that ended */
	/*
	 * The largest sum of the steps and the accesses of one run. Accesses are included, because threads may park at
	 * accesses in other runs, and then each access is a step.
	 */
	uint64_t steps;
	bool settled; /* the limits come from controlled runs; later runs do not change them */
	/* The limits for the next executions, as in struct rfs_run_spec. */
	double cpu_limit;
	uint64_t step_limit, spin_free, stops_per_run;
};

/* Begins without limits. factor: --hang-factor. */
void rfs_limits_init(struct rfs_limits *limits, double factor);
/* Call when a controlled run has ended. */
void rfs_limits_note(struct rfs_limits *limits, const struct rfs_run_result *result);

/* Sets the limits for the next executions from the baseline runs alone. */
void rfs_limits_by_plain_runs(struct rfs_limits *limits, const struct rfs_baseline *baseline);
/*
 * Sets the limits from the baseline runs and the one controlled run of measure.h. steps: the number of steps of the
 * controlled run; 0: that run did not end.
 */
void rfs_limits_by_measured_run(struct rfs_limits *limits, const struct rfs_baseline *baseline, uint64_t steps);
/*
 * Sets the limits from the baseline runs and all controlled runs so far. If any of these runs ended, the limits are
 * settled. If only the measured run ended, the number of operations is estimated from the baseline runs.
 */
void rfs_limits_by_controlled_runs(struct rfs_limits *limits, const struct rfs_baseline *baseline);

#endif
