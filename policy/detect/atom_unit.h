/* atom_unit.h - what is kept of the accesses to one granule: units, and which of them follow each other. */
#ifndef RFS_ATOM_UNIT_H
#define RFS_ATOM_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "policy/detect/atom_run.h"
#include "policy/operations.h"

struct rfs_access;

/* Of equal ones: the first ones and the last one. */
#define TIMES_MAX 4

/* Differs from all addresses of data. */
#define ATOM_HALF (UINT64_C(1) << 63)

enum atom_flags {
	ATOM_READ = 1, /* plain reads of what the unit itself has written do not count */
	ATOM_WRITE = 2,
	ATOM_WRITES_FIRST = 4, /* it did not read the data before it wrote it */
	ATOM_FREE = 8,
	ATOM_ATOMIC = 16,
	ATOM_SYNC = 32, /* no accesses, but waits (ATOM_READ) and signals (ATOM_WRITE) of a condition variable */
	ATOM_CALL = 64, /* by a system call, to what the kernel keeps: one object for each granule */
};

/* The accesses of one thread to a granule in one section. */
struct atom_unit {
	struct atom_context *first, *last; /* NULL: no unit */
	rfs_site read, write;		   /* the first ones */
	/* Outside of all locks: of the data, because a granule may have several counters. In a section: 0 for the whole
	 * granule, or the half of a granule whose halves are different data, plus ATOM_HALF. */
	rfs_addr address;
	uint8_t at_read, at_write; /* at which byte of the granule the first ones began */
	uint8_t flags;		   /* enum atom_flags */
	uint8_t written;	   /* mask of the granule's bytes that its plain accesses wrote */
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

/* Adds an access to this granule. */
void rfs_atom_unit_add(struct atom_unit *unit, rfs_addr granule, const struct rfs_access *access);
/* Whether the units of one granule may have data in common. */
bool rfs_atom_meet(const struct atom_unit *a, const struct atom_unit *b);
bool rfs_atom_same_shape(const struct atom_unit *a, const struct atom_unit *b);
/* NULL: the unit does not hold this lock. */
const struct atom_hold *rfs_atom_hold_in(const struct atom_unit *unit, rfs_addr lock);
/* Fills key and *out for the unit's first access of this kind: how is ATOM_READ or ATOM_WRITE. */
void rfs_atom_describe(const struct atom_unit *unit, unsigned how, const struct atom_hold *lock, rfs_site key[2],
		       struct rfs_atomicity_access *out);
/* The data of the unit's first access of this kind; the granule may have several. */
rfs_addr rfs_atom_address(const struct atom_cell *cell, const struct atom_unit *unit, unsigned how);

#endif
