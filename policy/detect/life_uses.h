/*
 * life_uses.h - uses of things that end: objects of the thread library (lifetimes.h), descriptors (fd_lifetimes.h) and
 * stacks (stack_lifetimes.h).
 *
 * If a thread used a thing before another thread ended it, and no message made this order, the end could come first.
 * A thing is known by a number, and has a life from its first use to its end. For each life, the last uses are kept,
 * one for each thread and place.
 */
#ifndef RFS_LIFE_USES_H
#define RFS_LIFE_USES_H

#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "policy/operations.h"

struct atom_hold;
struct atom_run;

/* Uses that are kept of one life: a few places of each of its threads. The oldest one is replaced. */
#define RFS_LIFE_USES 16

struct rfs_life_use {
	int thread;
	rfs_site site;
	unsigned access;	 /* enum rfs_access_flags; 0: it is a call */
	uint64_t own;		 /* the thread's own time */
	uint64_t sequence;	 /* number of the use in the run */
	uint64_t changes;	 /* as in struct atom_thread, when it was used; of stacks only */
	struct atom_hold *holds; /* locks of the thread, if they matter, the outermost first; owned; NULL: none */
	size_t n_holds;
	size_t awaited; /* holds[awaited - 1] is the outermost lock that the ending thread acquired later; 0: none */
};

struct rfs_life {
	UT_hash_handle hh;
	uint64_t number;
	struct rfs_life_use uses[RFS_LIFE_USES];
	size_t n_uses;
};

/* Zeroed memory: no lives. */
struct rfs_life_uses {
	struct rfs_life *list; /* uthash */
	uint64_t sequence;     /* of the uses */
};

/* NULL: the thing was not used in this life. Borrowed until the life ends. */
struct rfs_life *rfs_life_uses_find(const struct rfs_life_uses *lives, uint64_t number);
/* Adds a use. Borrowed until the next use. NULL: there are `most` lives already, and the run is noted to be full. */
struct rfs_life_use *rfs_life_uses_use(struct atom_run *run, struct rfs_life_uses *lives, size_t most, uint64_t number,
				       int thread, rfs_site site);

/* Keeps the locks that the thread holds at its present use. */
void rfs_life_use_holds(const struct atom_run *run, struct rfs_life_use *use);

/* Called for a use that could come after the end. end: what the caller of rfs_life_uses_end() has given. */
typedef void rfs_life_uses_found(struct atom_run *run, const struct rfs_life_uses *lives, const struct rfs_life *life,
				 const struct rfs_life_use *use, const void *end);

/* The thread ends the life at this site. Calls found for each use of another thread that nothing orders before. */
void rfs_life_uses_end(struct atom_run *run, struct rfs_life_uses *lives, struct rfs_life *life, int thread,
		       rfs_site site, rfs_life_uses_found *found, const void *end);
void rfs_life_uses_forget(struct rfs_life_uses *lives, struct rfs_life *life);
void rfs_life_uses_release(struct rfs_life_uses *lives);

#endif
