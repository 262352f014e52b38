/* lock.h - what the memory of a lock says: who holds it, and whether a call would return at once. */
#ifndef RFS_MODEL_LOCK_H
#define RFS_MODEL_LOCK_H

#include <stdbool.h>
#include <sys/types.h>

#include "policy/operations.h"

struct rfs_model_memory;

/* What a thread asks for, and what the lock's memory says about that. */
enum rfs_lock_type {
	RFS_LOCK_MUTEX,
	RFS_LOCK_READ,
	RFS_LOCK_WRITE,
	RFS_LOCK_SPIN,
	RFS_LOCK_WORD,	 /* 4 bytes; 0: free (GLib's GMutex) */
	RFS_LOCK_STREAM, /* of a FILE, for flockfile(); recursive */
};
struct rfs_lock_state {
	bool returns;  /* the thread's call would return at once */
	bool acquires; /* the call would return at once with the lock held */
	pid_t owner;   /* tid of the exclusive holder, as stored in memory; 0: none or unknown */
	bool shared;   /* shared between processes */
	bool robust;   /* the next owner gets it if a thread ends with it */
};

/* Fills *out for the thread with tid self. False if the lock cannot be read. */
bool rfs_lock_look(const struct rfs_model_memory *memory, pid_t self, enum rfs_lock_type type, rfs_addr lock,
		   struct rfs_lock_state *out);
/* Whether an unlock by the thread with tid self would return an error and change nothing. */
bool rfs_lock_refuses_unlock(const struct rfs_model_memory *memory, pid_t self, enum rfs_lock_type type, rfs_addr lock);
/*
 * The errno that the call returns if it returns at once and the lock is not simply taken: EDEADLK, EOWNERDEAD or
 * ENOTRECOVERABLE. Otherwise 0.
 */
int rfs_lock_error(const struct rfs_model_memory *memory, pid_t self, enum rfs_lock_type type, rfs_addr lock);
/* Whether a readers-writer lock lets no reader in while a writer waits. False if the lock cannot be read. */
bool rfs_lock_prefers_writers(const struct rfs_model_memory *memory, rfs_addr lock);

#endif
