/* step-priv.h - the instructions that can be neither copied nor emulated. */
#ifndef RFS_TRACER_STEP_PRIV_H
#define RFS_TRACER_STEP_PRIV_H

struct rfs_task;
struct rfs_breakpoint;

/* One step with the breakpoint taken away, while nobody else of the space runs. 0: task is stopped again and
 * *status says how; -ESRCH; -ENOMEM. */
int rfs_step_in_place(struct rfs_task *task, const struct rfs_breakpoint *breakpoint, int *status)
	__attribute__((warn_unused_result));

#endif
