/* wait.h - when a wait is over, and the wait-for graph. */
#ifndef RFS_MODEL_WAIT_H
#define RFS_MODEL_WAIT_H

#include <stddef.h>

#include "policy/operations.h"
#include "supervisor/model/lock.h"

struct rfs_model_memory;
struct rfs_sync;
struct rfs_sync_thread;

/* Whether the call that a thread is parked at would return now. */
enum rfs_wait_state {
	RFS_WAIT_GOES_ON, /* the call would not return now; a timeout may end the wait */
	RFS_WAIT_OVER,	  /* the call would return now; a timeout may still come first */
	RFS_WAIT_WOKEN,	  /* the call would return now; it is too late for a timeout */
	RFS_WAIT_BLOCKED, /* the mutex is held, so the call would not return, even after a timeout */
};
enum rfs_wait_state rfs_wait_look(const struct rfs_sync *sync, const struct rfs_sync_thread *thread,
				  const struct rfs_model_memory *memory);

/*
 * What the memory of a lock means for a thread that asks for the lock. If the lock cannot be read, or if another
 * process holds it, the thread's call counts as a call that returns at once. The thread then makes the call, and the
 * kernel reports the fault or makes the thread wait.
 */
struct rfs_lock_state rfs_wait_lock(const struct rfs_sync *sync, const struct rfs_sync_thread *thread,
				    const struct rfs_model_memory *memory, enum rfs_lock_type type, rfs_addr lock);

/*
 * Looks for a cycle in the wait-for graph that contains thread `from`, which has just begun to wait. Stores the cycle
 * in path, which has room for n_threads numbers: each thread waits for the next, and the last waits for the first.
 * Returns the length of the cycle; 0: there is no cycle.
 */
size_t rfs_wait_cycle(const struct rfs_sync *sync, const struct rfs_model_memory *memory, size_t from, size_t *path);

#endif
