/*
 * atom_run.h - what all predictions of atomicity.h know of a run: its threads with their locks and clocks, and the
 * violations that were found.
 */
#ifndef RFS_ATOM_RUN_H
#define RFS_ATOM_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "policy/core/hb.h"
#include "policy/core/vclock.h"
#include "policy/detect/atomicity_pattern.h"
#include "policy/operations.h"

/* Locks of a thread that count, the innermost ones. */
#define HOLDS_MAX 4

/* A lock that a thread holds. */
struct atom_hold {
	rfs_addr lock;
	uint64_t instance; /* number of this acquisition; it differs from all others */
	unsigned count;
	bool shared;
	uint64_t resumes; /* acquired when a condition wait ended: the instance that ended when it began; otherwise 0 */
	rfs_site site;	  /* the instruction that acquired the lock */
	rfs_site entry;	  /* the first access of the thread that holds it; 0: none yet */
};

/* A clock that contexts share. */
struct atom_clock {
	unsigned refs;
	struct rfs_vclock knows;
};

/* What accesses of one thread have in common while it acquires and releases nothing and learns nothing. */
struct atom_context {
	unsigned refs;
	int thread;
	uint64_t sequence; /* number of the context in the run */
	uint64_t own;	   /* the thread's own time */
	struct atom_clock *clock;
	size_t n_holds;
	struct atom_hold holds[]; /* at most HOLDS_MAX, the outermost first */
};

struct atom_thread {
	struct atom_hold *holds;
	size_t n_holds, capacity;
	struct atom_context *context; /* NULL: something has changed since the last one */
	struct atom_clock *clock;     /* of the last context; NULL: the thread has learnt something since */
	uint64_t own;		      /* the time to which clock belongs */
	enum rfs_op_kind last;	      /* its last operation */
	uint64_t changes;	      /* how many contexts and atomic accesses it has had */
	uint64_t waited;	      /* the instance that ended when its last condition wait began */
};

/* What identifies a violation: of each section where its lock was acquired, and its first access. */
struct atom_key {
	rfs_site sections[8]; /* of an order violation, only four, and then its pattern; the last two are of two
				 variables */
};

struct atom_found {
	UT_hash_handle hh;
	struct atom_key key;
	struct rfs_atomicity_violation violation;
};

/* Zeroed memory: nothing is known. */
struct atom_run {
	struct rfs_hb hb;
	struct atom_thread *threads;
	size_t n_threads;
	struct atom_found *found; /* uthash */
	bool is_full;		  /* something did not fit */
};

/* Contexts are counted. The first one returns the context. */
struct atom_context *rfs_atom_context_share(struct atom_context *context);
void rfs_atom_context_release(struct atom_context *context);
/* The thread acquires or releases a lock: what follows has another context. */
void rfs_atom_end_context(struct atom_thread *thread);
/* The thread sends or learns something: another context, and another clock. */
void rfs_atom_end_clock(struct atom_thread *thread);

/* Whether the two holds of one lock exclude each other. */
bool rfs_atom_exclude(const struct atom_hold *a, const struct atom_hold *b);
/* Whether a happens before b: the thread of b knew the time of a. */
bool rfs_atom_is_before(const struct atom_context *a, const struct atom_context *b);
/* Adds the violation, or replaces an equal one if this one is better. */
void rfs_atom_add(struct atom_run *run, const struct atom_key *key, const struct rfs_atomicity_violation *violation);
void rfs_atom_run_release(struct atom_run *run);

#endif
