/* timers.h - timerfd, setitimer, alarm and timer_create in virtual time, of the program and of other processes. */
#ifndef RFS_TIMERS_H
#define RFS_TIMERS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_task;
struct rfs_thread;

/* The process has executed a file, or it has ended. */
void rfs_timers_executed(struct rfs_run *run, pid_t pid);
void rfs_timers_ended(struct rfs_run *run, pid_t pid);
/* A process that the program forked has taken its place. It has the timerfds; other timers stay with the parent. */
void rfs_timers_forked(struct rfs_run *run, pid_t parent);
/*
 * Called when the target reads from a descriptor; fd is our duplicate. True if fd is a timerfd that has expired;
 * *result is then the result of the read.
 */
bool rfs_timers_read(struct rfs_run *run, struct rfs_thread *thread, int fd, long *result);
/* Whether the target, or another process of it, has made a timer. */
bool rfs_timers_any(const struct rfs_run *run);
/*
 * The earliest virtual time at which a timer of the program sends the signal; RFS_NEVER: none does. *to becomes the
 * thread that gets it, if the timer says so.
 */
uint64_t rfs_timers_due(const struct rfs_run *run, int signo, struct rfs_thread **to);
/* Lets time pass until a timer of the program sends the signal. There must be such a timer. */
void rfs_timers_expire(struct rfs_run *run, int signo);
/* Makes all timers that are due expire. True if a timer was due. */
bool rfs_timers_fire(struct rfs_run *run);
/* The next virtual time at which a timer is due. RFS_NEVER: no timer is armed. */
uint64_t rfs_timers_next(const struct rfs_run *run);
/*
 * Called at the delivery of a signal: corrects who the siginfo says has sent it. True if that is the kernel, because
 * setitimer() or alarm() caused the signal.
 */
bool rfs_timers_signal(const struct rfs_run *run, struct rfs_task *task, const siginfo_t *info);
/* Frees the run's timers. */
void rfs_timers_release(struct rfs_run *run);
/*
 * rfs_ready_timed() for a wait that a timer may end. The wait does not time out before a timer that is due earlier.
 * signals_only: only a timer that sends a signal ends it.
 */
unsigned rfs_timers_ready(const struct rfs_run *run, bool available, uint64_t deadline, bool signals_only);

#endif
