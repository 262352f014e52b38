/* idle.h - what happens while no thread can be picked. */
#ifndef RFS_IDLE_H
#define RFS_IDLE_H

#include <stdbool.h>

struct rfs_run;

/*
 * Call this when no thread can be picked. If something outside the target may wake a thread, waits for it. Otherwise
 * lets virtual time pass until something is due. If nothing is due, ends the run as a deadlock.
 */
void rfs_idle(struct rfs_run *run);
/*
 * Whether virtual time can pass although threads can be picked: something is due later than what may be chosen now.
 * rfs_time_passes() moves the horizon up to the next such deadline, or the time to the next timer.
 */
bool rfs_time_can_pass(const struct rfs_run *run);
void rfs_time_passes(struct rfs_run *run);
/* Returns true if the load driver has ended since the last call. The target then gets SIGTERM. */
bool rfs_driver_ended(struct rfs_run *run);

#endif
