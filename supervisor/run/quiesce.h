/* quiesce.h - whether the target is quiescent, so that the next choice can be made. */
#ifndef RFS_QUIESCE_H
#define RFS_QUIESCE_H

#include <stdbool.h>

struct rfs_task;
struct rfs_run;

/* How long a choice has been waiting for children. All zero at first. */
struct rfs_quiesce {
	bool waits;
	double cpu;	   /* CPU seconds that all children had taken when the wait began */
	double idle_since; /* monotonic seconds since when no child has wanted a core */
};
/* Whether a thread that a call may have woken is still on its way to its exit or back to sleep. */
bool rfs_threads_move(const struct rfs_run *run);
/* Whether every thread and child process has arrived at a place where it stays, so that the next choice can be made. */
bool rfs_is_quiescent(struct rfs_run *run, struct rfs_quiesce *quiesce);

#endif
