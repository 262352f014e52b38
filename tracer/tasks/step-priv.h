/* step-priv.h - steps instructions that can be neither copied nor emulated. */
#ifndef RFS_TRACER_STEP_PRIV_H
#define RFS_TRACER_STEP_PRIV_H

struct rfs_task;
struct rfs_breakpoint;

/* Removes the breakpoint, makes a single step, and restores the breakpoint. Meanwhile no other task of the space runs.
 * Returns 0 and *status when the task has stopped again; -ESRCH; or -ENOMEM. */
int rfs_step_in_place(struct rfs_task *task, const struct rfs_breakpoint *breakpoint, int *status)
	__attribute__((warn_unused_result));

#endif
