/* wait-priv.h - the only place that waits for tasks. The one exception: launch.c waits for a program that has not begun
 * yet. */
#ifndef RFS_TRACER_WAIT_PRIV_H
#define RFS_TRACER_WAIT_PRIV_H

#include <stdint.h>
#include <sys/types.h>

struct rfs_tracer;
struct rfs_task;

/* The time at which a wait of timeout_ms ends, as rfs_wait_any() takes it. 0: never. */
int64_t rfs_wait_deadline(int timeout_ms);
/* waitpid() for all tasks. Returns 1, *tid and *status; 0 if the deadline has passed, or if we got a signal; or -errno.
 * */
int rfs_wait_any(struct rfs_tracer *tracer, int timeout_ms, int64_t deadline, pid_t *tid, int *status)
	__attribute__((warn_unused_result));
void rfs_wait_release(struct rfs_tracer *tracer); /* deletes the timer */
/* waitpid() for one task. If the task has ended, queues that status and returns -ESRCH. */
int rfs_wait_task(struct rfs_task *task, int *status) __attribute__((warn_unused_result));

#endif
