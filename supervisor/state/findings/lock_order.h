/*
 * lock_order.h - what a run tells the lock graph (policy/detect/lock_graph.h), and what it learns from it. A run with a
 * detector learns the predicted deadlocks. A run with a deadlock under test learns where threads are in it.
 */
#ifndef RFS_LOCK_ORDER_H
#define RFS_LOCK_ORDER_H

#include <stddef.h>

#include "disasm/addr.h"
#include "policy/operations.h"

struct rfs_cycle_place;
struct rfs_event;
struct rfs_run;
struct rfs_thread;

/* Starts the lock graph, if the run has a detector or a cycle. */
void rfs_lock_order_open(struct rfs_run *run);
void rfs_lock_order_close(struct rfs_run *run);
/* The process executes another program: no lock is held any more, and other locks may have the same addresses. */
void rfs_lock_order_exec(struct rfs_run *run);

/* The thread has acquired the lock at this site, or released it. how: enum rfs_lock_how. */
void rfs_lock_order_acquired(struct rfs_run *run, const struct rfs_thread *thread, rfs_addr lock, rfs_site site,
			     unsigned how);
void rfs_lock_order_released(struct rfs_run *run, const struct rfs_thread *thread, rfs_addr lock);
/* The thread has taken a token of the semaphore, or added one. Call this before the message of the post is emitted. */
void rfs_lock_order_took(struct rfs_run *run, const struct rfs_thread *thread, rfs_addr semaphore, unsigned how);
void rfs_lock_order_posted(struct rfs_run *run, const struct rfs_thread *thread, rfs_addr semaphore);
void rfs_lock_order_event(struct rfs_run *run, const struct rfs_event *event);
/*
 * Writes up to max semaphores that are used as locks, and that the thread has taken, to out. Returns how many. None if
 * the run has no lock graph.
 */
size_t rfs_lock_order_semaphores(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr *out, size_t max);
/* The number of the thread that has taken the semaphore, which is used as a lock; -1: not known. */
int rfs_lock_order_taker(const struct rfs_run *run, rfs_addr semaphore);
/* Stores the predicted deadlocks in the result. */
void rfs_lock_order_predicted(struct rfs_run *run);
/* Where the parked thread is in the cycle of the spec; NULL: nowhere. Valid until the next call for this thread. */
const struct rfs_cycle_place *rfs_lock_order_place(struct rfs_run *run, struct rfs_thread *thread);

#endif
