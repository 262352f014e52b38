/* lock.h - what the memory of a lock says: who holds it, and whether a call would return at once. */
#ifndef RFS_MODEL_LOCK_H
#define RFS_MODEL_LOCK_H

#include <stdbool.h>
#include <sys/types.h>

#include "policy/policy.h"

struct rfs_model_memory;

/* The state of a lock in memory, for a thread that wants it. */
enum rfs_lock_type { RFS_LOCK_MUTEX, RFS_LOCK_READ, RFS_LOCK_WRITE, RFS_LOCK_SPIN };
struct rfs_lock_state {
	bool returns;  /* a call returns at once */
	bool acquires; /* the call that returns at once holds the lock then */
	pid_t owner;   /* tid of the exclusive holder as memory names it; 0: none or unknown */
	bool shared;   /* shared between processes */
};

/* self: tid of the thread that wants the lock. False if the lock cannot be read. */
bool rfs_lock_look(const struct rfs_model_memory *memory, pid_t self, enum rfs_lock_type type, rfs_addr lock,
		   struct rfs_lock_state *out);
/* Whether an unlock would return an error and change nothing. */
bool rfs_lock_refuses_unlock(const struct rfs_model_memory *memory, pid_t self, enum rfs_lock_type type, rfs_addr lock);

#endif
