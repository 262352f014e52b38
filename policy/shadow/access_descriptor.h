/*
 * access_descriptor.h - access descriptors: what many accesses have in common (thread, site, time, kind, size and
 * locks), stored once. Variables and members named stamp hold the number of a descriptor. A loop over an array needs
 * one descriptor for each of its statements, and shadow memory stores only 4 bytes for each access.
 *
 * Descriptors are reference-counted and reused. So even in a long run there are no more of them than shadow memory
 * refers to. Two descriptors may be equal: each thread finds its recent ones in a small table, by site, kind and size.
 * If the table has none, the thread makes a new one.
 *
 * The effect of an access on a granule depends on its descriptor, on the address, and on what the thread knows of other
 * threads. The descriptor and this knowledge together have a serial number. cell_state.h looks up the effect by this
 * number.
 */
#ifndef RFS_DESCRIPTOR_H
#define RFS_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/core/lockset.h"
#include "policy/operations.h"

typedef uint32_t rfs_access_descriptor; /* number of a descriptor; 0: none */

struct rfs_descriptor_data {
	rfs_site site;
	uint64_t time; /* the thread's own time at the access, above 0 */
	uint64_t full; /* the thread's own time in the full order at the last access with this descriptor; 0: unknown */
	uint64_t size; /* bytes of the whole access, not only those in one granule */
	uint32_t thread;
	rfs_lockset locks;
	unsigned access; /* enum rfs_access_flags */
	uint32_t count;	 /* number of references; if the descriptor is free: the number of the next free one */
};

/* The last descriptor of a thread for one site, kind and size. */
struct rfs_descriptor_entry {
	rfs_site site;
	uint64_t size;
	uint64_t context; /* the table's context at the last lookup */
	uint64_t known;	  /* the table's `known` at the last lookup */
	uint64_t serial;  /* never 0; a new number for a new descriptor, or after the thread has learned from another
			     thread */
	rfs_access_descriptor stamp; /* holds a reference; 0: none */
	unsigned access;
};

/* The current time, locks and knowledge of a thread, and its recent descriptors: enough for the statements of large
 * loops. One table has 192 KiB. */
#define RFS_DESCRIPTOR_TABLE_SHIFT 12
struct rfs_descriptor_table {
	uint64_t time, full, known;
	uint64_t context; /* a new number whenever time, full, known or locks changes; 0: never used */
	uint32_t thread;
	rfs_lockset locks;
	struct rfs_descriptor_entry
		last[1u << RFS_DESCRIPTOR_TABLE_SHIFT]; /* by hash of site, kind and size; the place with the last index
							   bit flipped is a second choice */
};

/* Zeroed memory has no descriptors, once bytes is set. rfs_descriptors_release() frees the memory inside. */
struct rfs_descriptors {
	uint64_t *bytes;		 /* counts the memory of descriptors in use and of tables; borrowed */
	struct rfs_descriptor_data *all; /* by number; all[0] is not used */
	size_t n, capacity;
	uint32_t first_free;
	struct rfs_descriptor_table **tables; /* by thread; NULL: no table yet */
	size_t n_tables;
	uint64_t last_serial, last_context;
};

/* The table of a thread, updated to these times, to these locks and to this version of its clock (known). */
struct rfs_descriptor_table *rfs_descriptors_table(struct rfs_descriptors *stamps, uint32_t thread, uint64_t time,
						   uint64_t full, rfs_lockset locks, uint64_t known);

/* Brings an entry up to date. It must be empty or be for this site, size and kind. */
void rfs_descriptors_renew(struct rfs_descriptors *stamps, const struct rfs_descriptor_table *table,
			   struct rfs_descriptor_entry *entry, rfs_site site, uint64_t size, unsigned access);
/* The entry for an access if the entry at `place` is for another one: the entry at the second place, or an emptied
 * entry. */
struct rfs_descriptor_entry *rfs_descriptors_other(struct rfs_descriptors *stamps, struct rfs_descriptor_table *table,
						   size_t place, rfs_site site, uint64_t size, unsigned access);

static inline bool rfs_descriptors_is_of(const struct rfs_descriptor_entry *entry, rfs_site site, uint64_t size,
					 unsigned access)
{
	return entry->site == site && entry->size == size && entry->access == access;
}

/* The entry with the descriptor for an access of the table's thread. It is valid until the next call for the same
 * table. The call may move stamps->all. */
static inline const struct rfs_descriptor_entry *rfs_descriptors_get(struct rfs_descriptors *stamps,
								     struct rfs_descriptor_table *table, rfs_site site,
								     uint64_t size, unsigned access)
{
	/* Fibonacci hashing, because sites are neighbouring instruction addresses */
	size_t place = ((site ^ (uint64_t)access << 32 ^ size << 40) * 0x9e3779b97f4a7c15u) >>
		       (64 - RFS_DESCRIPTOR_TABLE_SHIFT);
	struct rfs_descriptor_entry *entry = &table->last[place];

	if (!rfs_descriptors_is_of(entry, site, size, access))
		entry = rfs_descriptors_other(stamps, table, place, site, size, access);
	if (entry->context != table->context)
		rfs_descriptors_renew(stamps, table, entry, site, size, access);
	return entry;
}

static inline void rfs_descriptors_keep(struct rfs_descriptors *stamps, rfs_access_descriptor stamp)
{
	stamps->all[stamp].count++;
}

static inline void rfs_descriptors_drop(struct rfs_descriptors *stamps, rfs_access_descriptor stamp)
{
	struct rfs_descriptor_data *data = &stamps->all[stamp];

	if (--data->count)
		return;
	data->count = stamps->first_free;
	stamps->first_free = stamp;
	*stamps->bytes -= sizeof(*data);
}

/* Frees the table of a thread, which gets a new one if it needs one. Descriptors that shadow memory refers to stay. */
void rfs_descriptors_drop_table(struct rfs_descriptors *stamps, uint32_t thread);
/* Frees all tables except that of this thread. */
void rfs_descriptors_drop_others(struct rfs_descriptors *stamps, uint32_t thread);
void rfs_descriptors_release(struct rfs_descriptors *stamps);

#endif
