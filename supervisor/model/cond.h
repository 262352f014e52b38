/* cond.h - condition variables: which threads wait, and which one a signal wakes. */
#ifndef RFS_MODEL_COND_H
#define RFS_MODEL_COND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/operations.h"

struct rfs_sync;
struct rfs_sync_thread;

/* Called when the thread has released the mutex and begins to wait. */
void rfs_cond_sleep(struct rfs_sync *sync, struct rfs_sync_thread *thread, rfs_addr cond, rfs_addr mutex);
/*
 * Wakes one waiter: the thread with number `chosen` if it waits there, otherwise the thread that has waited longest.
 * The waiter keeps the message until it continues. False: no thread waits.
 */
bool rfs_cond_signal(struct rfs_sync *sync, rfs_addr cond, int chosen, uint64_t message);
/* Wakes all waiters. Returns how many. */
size_t rfs_cond_broadcast(struct rfs_sync *sync, rfs_addr cond, uint64_t message);
/*
 * True if this thread is the last: all other threads that were woken with this message have continued, so the message
 * is no longer needed.
 */
bool rfs_cond_message_is_last(const struct rfs_sync *sync, const struct rfs_sync_thread *thread, uint64_t message);

#endif
