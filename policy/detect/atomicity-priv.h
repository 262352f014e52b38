/* atomicity-priv.h - what atomicity.c and atomicity_unit.c record of a run, and atomicity_search.c searches. */
#ifndef RFS_ATOMICITY_PRIV_H
#define RFS_ATOMICITY_PRIV_H

#include <uthash.h>

#include "policy/core/hb.h"
#include "policy/core/pagemap.h"
#include "policy/core/vclock.h"
#include "policy/detect/atomicity.h"
#include "policy/detect/life_uses.h"
#include "policy/detect/lifetimes.h"
#include "policy/detect/section_pairs.h"
#include "policy/detect/stack_lifetimes.h"

/* Locks of a thread that count, the innermost ones. */
#define HOLDS_MAX 4
/* Granules that are recorded at the same time, and sections and pairs of sections that are kept for all of them. With
 * all that belongs to them, they take at most about 100 MB. */
#define CELLS_MAX (1u << 15)
#define KEPT_MAX (1u << 15)
/* Different sections, and pairs of sections, that are kept for one granule. */
#define UNITS_MAX 24
/* Of equal ones: the first ones and the last one. */
#define TIMES_MAX 4

/* A lock that a thread holds. */
struct atom_hold {
	rfs_addr lock;
	uint64_t instance; /* number of this acquisition; it differs from all others */
	unsigned count;
	bool shared;
	uint64_t resumes; /* acquired when a condition wait ended: the instance that ended when it began; otherwise 0 */
	rfs_site site;	  /* where it was acquired */
	rfs_site entry;	  /* the first access while it is held; 0: none yet */
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
	struct atom_hold holds[HOLDS_MAX]; /* the outermost first */
};

/* Differs from all addresses of data. */
#define ATOM_HALF (UINT64_C(1) << 63)

enum atom_flags {
	ATOM_READ = 1, /* plain reads of what the unit itself has written do not count */
	ATOM_WRITE = 2,
	ATOM_WRITES_FIRST = 4, /* it did not read the data before it wrote it */
	ATOM_FREE = 8,
	ATOM_ATOMIC = 16,
	ATOM_SYNC = 32, /* no accesses, but waits (ATOM_READ) and signals (ATOM_WRITE) of a condition variable */
};

/* The accesses of one thread to a granule in one section. */
struct atom_unit {
	struct atom_context *first, *last; /* NULL: no unit */
	rfs_site read, write;		   /* the first ones */
	rfs_addr at_read, at_write;	   /* what they accessed in the granule */
	unsigned flags;			   /* enum atom_flags */
	uint8_t written;		   /* mask of the granule's bytes that its plain accesses wrote */
	/* Outside of all locks: of the data, because a granule may have several counters. In a section: 0 for the whole
	 * granule, or the half of a granule whose halves are different data, plus ATOM_HALF. */
	rfs_addr address;
};

/* Units that differ only in time. */
struct atom_units {
	struct atom_unit list[TIMES_MAX];
	size_t n;
};

/* Two units of a thread that follow each other, and those that differ from them only in time. */
struct atom_local {
	struct atom_unit first[TIMES_MAX], second[TIMES_MAX];
	size_t n;
};

/* The last two units of one thread at one address. */
struct atom_recent {
	int thread;
	rfs_addr address; /* as in struct atom_unit */
	struct atom_unit before, now;
};

struct atom_cell {
	UT_hash_handle hh;
	rfs_addr granule;
	bool split; /* a section has accessed only one half of it */
	struct atom_recent *recent;
	struct atom_units *units;
	struct atom_local *locals;
	size_t n_recent, recent_capacity, n_units, units_capacity, n_locals, locals_capacity;
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
	struct atom_sections sections;
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

struct rfs_atomicity_graph {
	struct rfs_hb hb;
	struct atom_thread *threads;
	size_t n_threads;
	struct atom_cell *cells;  /* uthash */
	struct rfs_pagemap pages; /* struct rfs_granule_set: which granules of a page are in `cells` */
	struct rfs_lifetimes lifetimes;
	struct rfs_life_uses fds; /* descriptors, by number (fd_lifetimes.h) */
	struct rfs_stack_lifetimes stacks;
	struct atom_section_pairs pairs;
	struct atom_found *found; /* uthash */
	uint64_t sequence, instances;
	size_t n_kept; /* units and locals of all cells */
	bool is_full;  /* something did not fit */
};

/* Contexts are counted. The first one returns the context. */
struct atom_context *rfs_atom_context_share(struct atom_context *context);
void rfs_atom_context_release(struct atom_context *context);
/* atomicity_unit.c: adds an access to this granule. */
void rfs_atom_unit_add(struct atom_unit *unit, rfs_addr granule, const struct rfs_access *access);
/* atomicity_search.c: adds the violations at this granule. */
void rfs_atomicity_search(struct rfs_atomicity_graph *atomicity, const struct atom_cell *cell);
/* order_search.c: adds the order violations at this granule. */
void rfs_order_search(struct rfs_atomicity_graph *atomicity, const struct atom_cell *cell);

/* For both searches. NULL: the unit does not hold this lock. */
const struct atom_hold *rfs_atom_hold_in(const struct atom_unit *unit, rfs_addr lock);
/* Whether the two holds of one lock exclude each other. */
bool rfs_atom_exclude(const struct atom_hold *a, const struct atom_hold *b);
/* Whether a happens before b: the thread of b knew the time of a. */
bool rfs_atom_is_before(const struct atom_context *a, const struct atom_context *b);
/* Fills key and *out for the unit's first access of this kind: how is ATOM_READ or ATOM_WRITE. */
void rfs_atom_describe(const struct atom_unit *unit, unsigned how, const struct atom_hold *lock, rfs_site key[2],
		       struct rfs_atomicity_access *out);
/* The data of the unit's first access of this kind; the granule may have several. */
rfs_addr rfs_atom_address(const struct atom_cell *cell, const struct atom_unit *unit, unsigned how);
/* Adds the violation, or replaces an equal one if this one is better. */
void rfs_atom_add(struct rfs_atomicity_graph *atomicity, const struct atom_key *key,
		  const struct rfs_atomicity_violation *violation);
/* Whether the units of one granule may have data in common. */
bool rfs_atom_meet(const struct atom_unit *a, const struct atom_unit *b);
bool rfs_atom_same_shape(const struct atom_unit *a, const struct atom_unit *b);

#endif
