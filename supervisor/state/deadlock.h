#ifndef RFS_DEADLOCK_H
#define RFS_DEADLOCK_H

#include <stdbool.h>

struct rfs_run;
struct rfs_thread;
struct rfs_waiters;

/* Threads on the way to a lock or to a join: a cycle, or nobody (deadlock.c). */
bool rfs_deadlock_cycle(struct rfs_run *run, struct rfs_thread *from);
void rfs_deadlock_all(struct rfs_run *run);
/* Every live thread, and what it waits for. */
void rfs_describe_threads(struct rfs_run *run, struct rfs_waiters *out);

#endif
