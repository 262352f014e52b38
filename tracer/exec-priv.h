/* exec-priv.h - a task has executed a new program. */
#ifndef RFS_TRACER_EXEC_PRIV_H
#define RFS_TRACER_EXEC_PRIV_H

struct rfs_task;

/* The task reported PTRACE_EVENT_EXEC. Queues the stops to present. 0, -ENOMEM. */
int rfs_exec_present(struct rfs_task *task) __attribute__((warn_unused_result));

#endif
