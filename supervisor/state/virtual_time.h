#ifndef RFS_VIRTUAL_TIME_H
#define RFS_VIRTUAL_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/addr.h"

struct rfs_run;

#define RFS_NANOS 1000000000ull
/* 2020-01-01 00:00:00 UTC. */
#define RFS_START_REALTIME (1577836800ull * RFS_NANOS)
#define RFS_NEVER UINT64_MAX /* a virtual time that never comes */

/* Flags for something that waits: available now or not, and a deadline (RFS_NEVER: none). */
unsigned rfs_ready_timed(const struct rfs_run *run, bool available, uint64_t deadline);
bool rfs_deadline_from(const struct rfs_run *run, rfs_addr timespec, int clock, uint64_t *deadline);
/* The same for a time from now on: 0, or what the kernel answers (-EFAULT, -EINVAL). */
int rfs_deadline_after(const struct rfs_run *run, rfs_addr timespec, uint64_t *deadline);
uint64_t rfs_clock_now(const struct rfs_run *run, int clock); /* nanoseconds */
void rfs_advance(struct rfs_run *run, uint64_t to);

#endif
