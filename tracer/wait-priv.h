/* wait-priv.h - the only place that waits for tasks. The exception is a program that has not begun yet (launch.c). */
#ifndef RFS_TRACER_WAIT_PRIV_H
#define RFS_TRACER_WAIT_PRIV_H

#include <stdint.h>
#include <sys/types.h>

struct rfs_tracer;
struct rfs_task;

/* The time at which a wait of timeout_ms ends, for rfs_wait_any(); 0: never. */
int64_t rfs_wait_deadline(int timeout_ms);
/* waitpid() for all tasks. 1 and *tid, *status; 0: nothing (deadline, or a signal to us); -errno. */
int rfs_wait_any(struct rfs_tracer *tracer, int timeout_ms, int64_t deadline, pid_t *tid, int *status)
	__attribute__((warn_unused_result));
void rfs_wait_release(struct rfs_tracer *tracer); /* the timer */
/* waitpid() for one task. If the task has ended, queues that status and returns -ESRCH. */
int rfs_wait_task(struct rfs_task *task, int *status) __attribute__((warn_unused_result));

#endif
