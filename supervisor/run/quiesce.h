#ifndef RFS_QUIESCE_H
#define RFS_QUIESCE_H

#include <stdbool.h>

struct rfs_task;
struct rfs_run;

/* How long a choice has been waiting for children; zero at first. */
struct rfs_quiesce {
	bool waits;
	double cpu;	   /* seconds that all had taken at first */
	double idle_since; /* monotonic seconds: nobody wants a core since */
};
/* A thread whom a call may have woken is still on its way to its exit or back to sleep. */
bool rfs_threads_move(const struct rfs_run *run);
/* No thread and no child process is on its way to a place where it stays: the next choice can be made. */
bool rfs_is_quiescent(struct rfs_run *run, struct rfs_quiesce *quiesce);

#endif
