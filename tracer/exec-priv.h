/* exec-priv.h - what happens after a task has executed a new program. */
#ifndef RFS_TRACER_EXEC_PRIV_H
#define RFS_TRACER_EXEC_PRIV_H

struct rfs_task;

/* Handles PTRACE_EVENT_EXEC: prepares the new program and queues the stops that rfs_tracer_wait() returns next. Returns
 * 0 or -ENOMEM. */
int rfs_exec_present(struct rfs_task *task) __attribute__((warn_unused_result));

#endif
