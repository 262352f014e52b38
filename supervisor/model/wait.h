/* wait.h - when a wait is over, and the wait-for graph. */
#ifndef RFS_MODEL_WAIT_H
#define RFS_MODEL_WAIT_H

#include <stddef.h>

#include "policy/policy.h"
#include "supervisor/model/lock.h"

struct rfs_model_memory;
struct rfs_sync;
struct rfs_sync_thread;

/* Whether the call that a thread is parked at would return now. */
enum rfs_wait_state {
	RFS_WAIT_GOES_ON, /* no; only its timeout can end it */
	RFS_WAIT_OVER,	  /* yes; its timeout may still come first */
	RFS_WAIT_WOKEN,	  /* yes; too late for its timeout */
	RFS_WAIT_BLOCKED, /* no, and not after its timeout either: the mutex is held */
};
enum rfs_wait_state rfs_wait_look(const struct rfs_sync *sync, const struct rfs_sync_thread *thread,
				  const struct rfs_model_memory *memory);

/*
 * The same for a lock that the thread asks for. A lock that cannot be read, or that another process holds, counts as a
 * call that returns: the kernel then reports the fault, or makes the thread wait.
 */
struct rfs_lock_state rfs_wait_lock(const struct rfs_sync *sync, const struct rfs_sync_thread *thread,
				    const struct rfs_model_memory *memory, enum rfs_lock_type type, rfs_addr lock);

/*
 * Looks for a cycle in the wait-for graph through this thread, which has just begun to wait. path has room for
 * n_threads numbers. Each thread in it waits for the next, and the last for the first. Returns their number; 0: there
 * is no cycle.
 */
size_t rfs_wait_cycle(const struct rfs_sync *sync, const struct rfs_model_memory *memory, size_t from, size_t *path);

#endif
