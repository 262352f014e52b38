/*
 * limits.h - how much an execution may use before it counts as a hang (--hang-factor).
 *
 * The limits are visible operations and the target's CPU time, as a multiple of what executions that ended used. Wall
 * time is never used, because it depends on the load of the machine.
 *
 * Phases confirm and explore are compared with phase predict. Phase predict, and the first phase of other modes, is
 * compared with the baseline runs, which give the CPU time. The number of operations comes from a controlled run
 * without a detector. That run stays in one thread as long as it can, so it is much like a baseline run.
 */
#ifndef RFS_LIMITS_H
#define RFS_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_baseline;
struct rfs_run_result;

struct rfs_limits {
	double factor;
	double cpu_seconds; /* the maximum of the controlled runs that ended */
	uint64_t steps;	    /* the largest possible number of visible operations of one run: steps and accesses */
	bool settled;	    /* set from controlled runs: later runs change nothing */
	/* Limits for the next executions, as in struct rfs_run_spec. */
	double cpu_limit;
	uint64_t step_limit, spin_free;
};

/* Sets no limits. */
void rfs_limits_init(struct rfs_limits *limits, double factor);
/* Call when a controlled run has ended. */
void rfs_limits_note(struct rfs_limits *limits, const struct rfs_run_result *result);

/* Sets the limits for the next executions from the baseline runs alone. */
void rfs_limits_by_plain_runs(struct rfs_limits *limits, const struct rfs_baseline *baseline);
/* Sets the limits from the baseline runs and the steps of one controlled run (0: the run did not end). */
void rfs_limits_by_measured_run(struct rfs_limits *limits, const struct rfs_baseline *baseline, uint64_t steps);
/* Sets the limits from the controlled runs so far too. */
void rfs_limits_by_controlled_runs(struct rfs_limits *limits, const struct rfs_baseline *baseline);

#endif
