/*
 * child_waits.h - waits of child processes that have a time limit.
 *
 * The limit passes in virtual time. So a child that sleeps wakes up at the same point of the run each time, however
 * busy the machine is: before the first choice at which its limit has passed. The exception is a child that a thread
 * waits for by computing (run/stops/watchdog.c). With --clock=real, children wait in real time.
 */
#ifndef RFS_CHILD_WAITS_H
#define RFS_CHILD_WAITS_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_run;
struct rfs_stop;
struct rfs_task;

/*
 * A task of a child is at the entry of a system call. If the call waits with a time limit, takes the limit away from
 * the kernel. True: the task must also stop at the exit of the call.
 */
bool rfs_child_waits_enter(struct rfs_run *run, const struct rfs_stop *stop);
/* The task is at the exit of a call: if its limit has passed, the call returns what it returns then. */
void rfs_child_waits_exit(struct rfs_run *run, struct rfs_task *task);
/* A signal is about to be delivered to the task: if the task has a handler for it, the call is not made again. */
void rfs_child_waits_signal(struct rfs_run *run, const struct rfs_task *task, int signo);
/* The task is gone. */
void rfs_child_waits_gone(struct rfs_run *run, const struct rfs_task *task);
/* The next virtual time at which the limit of a wait passes. RFS_NEVER: no wait has a limit. */
uint64_t rfs_child_waits_next(const struct rfs_run *run);
/*
 * Ends one wait whose limit has passed: the earliest one; of several, that of the task with the smallest id that the
 * target sees. True if there was one. The caller must let the target become quiescent before the next one.
 */
bool rfs_child_waits_end_due(struct rfs_run *run);
/* Called when the run has ended, and virtual time passes no more: ends all waits. */
void rfs_child_waits_end_all(struct rfs_run *run);
void rfs_child_waits_release(struct rfs_run *run);

#endif
