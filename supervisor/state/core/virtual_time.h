/* virtual_time.h - the target's clocks and deadlines. */
#ifndef RFS_VIRTUAL_TIME_H
#define RFS_VIRTUAL_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "disasm/addr.h"

struct rfs_run;

#define RFS_NANOS 1000000000ull
/* 2020-01-01 00:00:00 UTC. */
#define RFS_START_REALTIME (1577836800ull * RFS_NANOS)
#define RFS_NEVER UINT64_MAX /* a virtual time that never comes */

/*
 * The flags (enum rfs_thread_flags) of a thread that waits. available: the thread's operation can complete now.
 * deadline: the virtual time of the thread's timeout; RFS_NEVER: no timeout.
 */
unsigned rfs_ready_timed(const struct rfs_run *run, bool available, uint64_t deadline);
/*
 * Reads an absolute time of this clock from the target's memory and converts it to virtual time. False if the time is
 * invalid.
 */
bool rfs_deadline_from(const struct rfs_run *run, rfs_addr timespec, int clock, uint64_t *deadline);
/*
 * Reads a time that is relative to now, and converts it to virtual time. 0, or the error that the kernel would return:
 * -EFAULT or -EINVAL.
 */
int rfs_deadline_after(const struct rfs_run *run, rfs_addr timespec, uint64_t *deadline);
/* From now on, the clocks show a date and an uptime that the seed determines, later than the fixed ones. */
void rfs_clock_seed(struct rfs_run *run, uint64_t seed);
/* The time that this clock shows now, in nanoseconds. */
uint64_t rfs_clock_now(const struct rfs_run *run, int clock);
/* The time that this clock of the kernel shows now, in nanoseconds. */
uint64_t rfs_clock_real(clockid_t clock);
/*
 * What a clock shows a child process: the kernel's time, later by the virtual time that has passed. So a child whose
 * waits and timers end in virtual time has not waited less than it asked for. False: the kernel answers, because the
 * clock shows CPU time or is unknown, or with --clock=real.
 */
bool rfs_clock_of_child(const struct rfs_run *run, int clock, uint64_t *now);
/* The time of --sleep-race in nanoseconds. */
uint64_t rfs_sleep_race(const struct rfs_run *run);
/* Sets virtual time to `to`, if `to` is later than now. */
void rfs_advance(struct rfs_run *run, uint64_t to);

#endif
