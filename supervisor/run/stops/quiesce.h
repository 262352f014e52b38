/* quiesce.h - whether the target is quiescent, so that the next choice can be made. */
#ifndef RFS_QUIESCE_H
#define RFS_QUIESCE_H

#include <stdbool.h>

struct rfs_task;
struct rfs_run;

/* How long a choice has been waiting for children. All members are zero before the wait. */
struct rfs_quiesce {
	bool waits;
	double cpu;	   /* CPU seconds that the whole target had used when the wait began */
	double idle_since; /* when a child was last seen running or ready to run, in monotonic seconds */
};
/*
 * Whether a thread that another thread's call may have woken in the kernel is still on its way, to the exit of its call
 * or back to sleep.
 */
bool rfs_threads_move(const struct rfs_run *run);
/* Whether every thread and child process has arrived at a place where it stays, so that the next choice can be made. */
bool rfs_is_quiescent(struct rfs_run *run, struct rfs_quiesce *quiesce);

#endif
