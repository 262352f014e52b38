#ifndef RFS_LOCK_MODEL_H
#define RFS_LOCK_MODEL_H

#include <stdbool.h>
#include <sys/types.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_thread;

/* What a lock's memory says, for a thread that wants it (lock_model.c). */
enum rfs_lock_type { RFS_LOCK_MUTEX, RFS_LOCK_READ, RFS_LOCK_WRITE, RFS_LOCK_SPIN };
struct rfs_lock_state {
	bool returns;  /* a call comes back at once */
	bool acquires; /* … and holds the lock then */
	pid_t owner;   /* tid of the exclusive holder as memory names it, 0: none or unknown */
	bool shared;   /* between processes */
};
bool rfs_lock_look(const struct rfs_run *run, const struct rfs_thread *thread, enum rfs_lock_type type, rfs_addr lock,
		   struct rfs_lock_state *out);
/* Would unlock come back with an error, and change nothing? */
bool rfs_lock_refuses_unlock(const struct rfs_run *run, const struct rfs_thread *thread, enum rfs_lock_type type,
			     rfs_addr lock);

#endif
