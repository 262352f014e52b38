#ifndef RFS_TIMERS_H
#define RFS_TIMERS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_task;

/* timerfd_settime, timerfd_gettime */
enum rfs_then rfs_sys_timerfd(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_setitimer(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_getitimer(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_alarm(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_timer_create(struct rfs_run *run, struct rfs_thread *thread);
/* the other calls on a timer of timer_create() */
enum rfs_then rfs_sys_timer(struct rfs_run *run, struct rfs_thread *thread);
/* A read of a timerfd that has expired, by our duplicate: true where *result is its answer. */
bool rfs_timers_read(struct rfs_run *run, struct rfs_thread *thread, int fd, long *result);
/* The target has made one. */
bool rfs_timers_any(const struct rfs_run *run);
/* Carries out those that are due: true where there were some. */
bool rfs_timers_fire(struct rfs_run *run);
uint64_t rfs_timers_next(const struct rfs_run *run); /* RFS_NEVER: none is armed */
/* At the delivery of a signal: true where a timer of ours sent it, which the target now sees as the kernel's. */
bool rfs_timers_signal(const struct rfs_run *run, struct rfs_task *task, const siginfo_t *info);
void rfs_timers_release(struct rfs_run *run);

#endif
