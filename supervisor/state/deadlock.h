#ifndef RFS_DEADLOCK_H
#define RFS_DEADLOCK_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_run;
struct rfs_thread;
struct rfs_waiter;

/* Threads on the way to a lock or to a join: a cycle, or nobody (deadlock.c). */
bool rfs_deadlock_cycle(struct rfs_run *run, struct rfs_thread *from);
void rfs_deadlock_all(struct rfs_run *run);
void rfs_describe_threads(struct rfs_run *run, struct rfs_waiter **out, size_t *n);

#endif
