/* cond.h - condition variables: which threads wait, and which one a signal wakes. */
#ifndef RFS_MODEL_COND_H
#define RFS_MODEL_COND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/policy.h"

struct rfs_sync;
struct rfs_sync_thread;

/* The thread has released the mutex and waits. */
void rfs_cond_sleep(struct rfs_sync *sync, struct rfs_sync_thread *thread, rfs_addr cond, rfs_addr mutex);
/*
 * Wakes one waiter: the chosen thread if it waits there, otherwise the one that waits longest. False: no thread waits.
 */
bool rfs_cond_signal(struct rfs_sync *sync, rfs_addr cond, int chosen, uint64_t message);
/* Wakes all waiters. Returns how many. */
size_t rfs_cond_broadcast(struct rfs_sync *sync, rfs_addr cond, uint64_t message);
/* Whether no other thread will wake up by this message. */
bool rfs_cond_message_is_last(const struct rfs_sync *sync, const struct rfs_sync_thread *thread, uint64_t message);

#endif
