/* wait_arguments.h - the timeout and the signal mask in the arguments of a call that waits. */
#ifndef RFS_WAIT_ARGUMENTS_H
#define RFS_WAIT_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_run;
struct rfs_task;
struct rfs_thread;

/* The signals that are blocked during a ppoll, pselect or epoll_pwait. False: it is another call, or has no mask. */
bool rfs_poll_mask(struct rfs_run *run, const struct rfs_thread *thread, unsigned long *mask);
/* Replaces the argument of a task's call, 2, 3 or 4, which is a timeout or points to it. */
void rfs_timeout_argument_set(struct rfs_task *task, int argument, uint64_t value);
/* Replaces the timeout argument of a poll, or the pointer to it. */
void rfs_poll_set_timeout(struct rfs_thread *thread, uint64_t value);
/* Called when a signal interrupts a parked poll: tells the target how much of the timeout is left (select(2)). */
void rfs_poll_left(struct rfs_run *run, const struct rfs_thread *thread);
/*
 * Called at the exit of a call. Restores the timeout argument of a poll to what the target passed, and does what
 * rfs_poll_left() does. Does nothing for other calls.
 */
void rfs_poll_restore(struct rfs_run *run, struct rfs_thread *thread);
/* Whether the kernel returns from the call because of a signal, and has not decided yet what the target sees. */
bool rfs_poll_is_interrupted(const struct rfs_thread *thread);
/* Whether the poll found nothing before its timeout and must be repeated. */
bool rfs_poll_is_again(const struct rfs_thread *thread, long result);
/* Called when a signal interrupts a sleep: tells the target how much of the time is left (nanosleep(2)). */
void rfs_sleep_left(struct rfs_run *run, const struct rfs_thread *thread);

#endif
