/* time_calls.h - clocks and sleeps, in virtual time. */
#ifndef RFS_TIME_CALLS_H
#define RFS_TIME_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_stop;
struct rfs_thread;
struct rfs_task;

/* Starts the clock at the beginning of the run. */
void rfs_clock_begin(struct rfs_run *run);
/*
 * The task is stopped at an rdtsc or rdtscp instruction: answers it with virtual time. The caller resumes the task.
 * thread NULL: the task is not scheduled.
 */
void rfs_rdtsc(struct rfs_run *run, struct rfs_task *task, const struct rfs_thread *thread);

/* Call after a yield was executed: it is no reason to let time pass more slowly. */
void rfs_clock_yielded(struct rfs_run *run);

/*
 * A task of a child process is at the entry of a system call. If the call reads a clock, answers it; true: *result is
 * the result of the call.
 */
bool rfs_child_reads_clock(const struct rfs_run *run, const struct rfs_stop *stop, long *result);

enum rfs_then rfs_sys_clock_gettime(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_gettimeofday(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_time(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_nanosleep(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_clock_nanosleep(struct rfs_run *run, struct rfs_thread *thread);
/* Enter handler of adjtimex and clock_adjtime. */
enum rfs_then rfs_sys_adjtimex(struct rfs_run *run, struct rfs_thread *thread);

#endif
