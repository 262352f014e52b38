/*
 * limits.h - how much an execution may use before it is taken to hang (--hang-factor): visible operations and the
 * target's CPU time, as a multiple of what executions that came to an end used. Never wall time, which depends on what
 * else the machine does.
 *
 * Phases 2 and 3 are compared with phase 1. Phase 1, and whatever comes first in other modes, is compared with the
 * plain runs: they tell the CPU time. A controlled run without a detector tells the number of operations: it keeps to
 * one thread for as long as that can go on, and so is much like a plain run.
 */
#ifndef RFS_LIMITS_H
#define RFS_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_baseline;
struct rfs_run_result;

struct rfs_limits {
	double factor;
	double cpu_seconds; /* the most of one controlled run that came to an end */
	uint64_t steps;	    /* the most visible operations that one can have: steps and accesses */
	bool settled;	    /* by controlled runs: later ones change nothing */
	/* Of the executions to come: struct rfs_run_spec. */
	double cpu_limit;
	uint64_t step_limit, spin_free;
};

/* No limits yet. */
void rfs_limits_init(struct rfs_limits *limits, double factor);
/* A controlled run has ended. */
void rfs_limits_note(struct rfs_limits *limits, const struct rfs_run_result *result);

/* Sets the limits of the executions to come: by the plain runs alone, … */
void rfs_limits_by_plain_runs(struct rfs_limits *limits, const struct rfs_baseline *baseline);
/* … by them and the steps of one controlled run (0: it came to no end), … */
void rfs_limits_by_measured_run(struct rfs_limits *limits, const struct rfs_baseline *baseline, uint64_t steps);
/* … and by the controlled runs so far. */
void rfs_limits_by_controlled_runs(struct rfs_limits *limits, const struct rfs_baseline *baseline);

#endif
