/* idle.h - what happens while no thread can be picked. */
#ifndef RFS_IDLE_H
#define RFS_IDLE_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_run;

/*
 * Call this when no thread can be picked. If something outside the target may wake a thread, waits for it. Otherwise
 * lets virtual time pass until something is due. If nothing is due, ends the run as a deadlock.
 */
void rfs_idle(struct rfs_run *run);
/*
 * The virtual time at which something is due that cannot be chosen yet, although threads can be picked. RFS_NEVER:
 * nothing is. rfs_time_passes() moves the horizon up to the next such deadline, or the time to the next timer.
 */
uint64_t rfs_time_next(const struct rfs_run *run);
void rfs_time_passes(struct rfs_run *run);
/*
 * Whether a load driver or a client may wake a thread later (RFS_OUTSIDE_ACTS). A replay gives the same answers.
 * rfs_outside_acts() gives them a moment of real time; in a replay, it takes none.
 */
bool rfs_outside_can_act(const struct rfs_run *run);
void rfs_outside_acts(struct rfs_run *run);
/* Returns true if the load driver has ended since the last call. The target then gets SIGTERM. */
bool rfs_driver_ended(struct rfs_run *run);

#endif
