/* timer_calls.h - calls on timers: timerfd_settime, setitimer, alarm, timer_create and the like. */
#ifndef RFS_TIMER_CALLS_H
#define RFS_TIMER_CALLS_H

#include <stdbool.h>

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_stop;
struct rfs_thread;

/* Enter handler of all calls on timers. */
enum rfs_then rfs_sys_timer(struct rfs_run *run, struct rfs_thread *thread);
/*
 * The same for another process. False: the kernel makes the call, because it is another one, or because the timer's
 * clock is real.
 */
bool rfs_timers_answer(struct rfs_run *run, const struct rfs_stop *stop, long *result);

#endif
