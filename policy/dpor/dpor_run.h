/*
 * dpor_run.h - what an exploration (dpor_tree.h) and one of its executions (dpor.c) tell each other: a plan, and the
 * steps that were executed. Both are blobs. The plan is part of the record format: a replay starts with it.
 *
 * A *step* is one visible operation. Steps are numbered from 0, beginning when the program has a second thread: before,
 * there is nothing to choose. A *choice* is a thread with an outcome and, for a signal, the waiter that it wakes.
 */
#ifndef RFS_DPOR_RUN_H
#define RFS_DPOR_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/operations.h"

struct rfs_blob;

/* The search for races compares all steps of an execution with each other, so a longer one is cut. */
#define RFS_DPOR_STEPS_MAX 5000

struct rfs_dpor_choice {
	int32_t thread;
	int32_t waiter;	  /* as in struct rfs_choice */
	uint32_t outcome; /* enum rfs_outcome */
	uint32_t check;	  /* rfs_dpor_check() of the operation; 0: not known yet */
};

/* A choice that need not be made before an operation was executed that depends on it. */
struct rfs_dpor_asleep {
	struct rfs_op op;
	struct rfs_dpor_choice choice;
	uint64_t on_all; /* 1: the operation depends on all others */
};

/*
 * The first steps of an execution, and the choices that are asleep before the last of these steps. The guide has the
 * choices after these steps, as far as they are possible.
 */
struct rfs_dpor_plan {
	struct rfs_dpor_choice *choices;
	size_t n_choices;
	struct rfs_dpor_choice *guide;
	size_t n_guide;
	struct rfs_dpor_asleep *asleep;
	size_t n_asleep;
};

/* A choice that could be made. */
struct rfs_dpor_option {
	int32_t thread;
	int32_t waiter;
	uint32_t outcome;
	uint32_t awake; /* 1: switching away from this thread is a preemption */
};

struct rfs_dpor_step {
	struct rfs_op op; /* as executed */
	int32_t thread;
	int32_t waiter;
	uint32_t outcome;
	uint32_t on_all;	    /* 1: the operation depends on all others */
	uint32_t option, n_options; /* its part of the options, ascending by thread */
	uint64_t held_back;	    /* how many threads could run but must let others run first (fair.h) */
};

/* An operation that a thread was parked before when the execution ended. */
struct rfs_dpor_left {
	struct rfs_op op;
	int32_t thread;
	int32_t unused;
};

/* What an execution did from the last step of its plan on. */
struct rfs_dpor_trace {
	struct rfs_dpor_step *steps;
	size_t n_steps;
	struct rfs_dpor_option *options;
	size_t n_options;
	struct rfs_dpor_left *left;
	size_t n_left;
	/* All choices were asleep after these steps. What follows repeats another execution. */
	bool redundant;
	bool cut; /* there were more than RFS_DPOR_STEPS_MAX steps: the rest is missing */
	/* What the execution assumed: other schedules may differ from those of the exploration. */
	bool repeated; /* a round of a loop that waits was left out (loops.h) */
	bool timed;    /* other threads ran before time could pass to a deadline */
	bool strayed; /* a step of the plan was not possible, or had another operation: the program is not repeatable */
};

/* A number by which an execution notices that an operation is not the one of the plan. Never 0. */
uint32_t rfs_dpor_check(const struct rfs_op *op);

/* The writers allocate blob->data with malloc(). The readers return 0, or -EINVAL for other bytes. */
void rfs_dpor_plan_write(const struct rfs_dpor_plan *plan, struct rfs_blob *blob);
int rfs_dpor_plan_read(const struct rfs_blob *blob, struct rfs_dpor_plan *out) __attribute__((warn_unused_result));
void rfs_dpor_plan_release(struct rfs_dpor_plan *plan);
void rfs_dpor_trace_write(const struct rfs_dpor_trace *trace, struct rfs_blob *blob);
int rfs_dpor_trace_read(const struct rfs_blob *blob, struct rfs_dpor_trace *out) __attribute__((warn_unused_result));
void rfs_dpor_trace_release(struct rfs_dpor_trace *trace);

#endif
