/* deadlock.h - reports deadlocks, and describes what threads wait for. */
#ifndef RFS_DEADLOCK_H
#define RFS_DEADLOCK_H

#include <stdbool.h>

struct rfs_run;
struct rfs_thread;
struct rfs_waiters;

/*
 * Looks for a cycle in the wait-for graph through this thread, which waits for a lock or joins a thread. If there is a
 * cycle, ends the run and returns true.
 */
bool rfs_deadlock_cycle(struct rfs_run *run, struct rfs_thread *from);
/* No thread can continue: ends the run as a deadlock of all threads. */
void rfs_deadlock_all(struct rfs_run *run);
/* Describes every live thread and what it waits for. *out is a part of the run's result, which frees what *out owns. */
void rfs_describe_threads(struct rfs_run *run, struct rfs_waiters *out);

#endif
