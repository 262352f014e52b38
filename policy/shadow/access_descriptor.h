/*
 * access_descriptor.h - what accesses have in common, interned: thread, site, time, kind and locks. A loop that sweeps
 * over memory makes one stamp for each of its statements, and shadow memory holds numbers of 4 bytes.
 *
 * Stamps are reference-counted and reused, so there are at most as many as shadow memory has places, however long the
 * run is. Two stamps may be equal: each thread finds its recent ones by site, kind and size in a small table, and makes
 * a new one if the table has none.
 *
 * The effect of an access depends on its stamp, on the place, and on what the thread knows of other threads. The stamp
 * and this knowledge together have a serial number, by which the effect is looked up (cell_state.h).
 */
#ifndef RFS_DESCRIPTOR_H
#define RFS_DESCRIPTOR_H

#include "policy/core/lockset.h"
#include "policy/policy.h"

typedef uint32_t rfs_access_descriptor; /* 0: none */

struct rfs_descriptor_data {
	rfs_site site;
	uint64_t time; /* of the thread's own clock, > 0 */
	uint64_t size; /* bytes, of the whole access */
	uint32_t thread;
	rfs_lockset locks;
	unsigned access; /* enum rfs_access_flags */
	uint32_t count;	 /* number of users; in a free one: the next free one */
};

/* A thread's last stamp of a site, kind and size. */
struct rfs_descriptor_entry {
	rfs_site site;
	uint64_t size;
	uint64_t context; /* the table's context when it was looked up last */
	uint64_t known;	  /* the table's `known` at that time */
	uint64_t serial;  /* never used again for another stamp, or for this one after its thread learned something;
			     never 0 */
	rfs_access_descriptor stamp; /* kept; 0: none */
	unsigned access;
};

/* A thread, what it holds and knows now, and its last stamps: the statements of a loop, and many more; at most 192 KiB.
 */
#define RFS_DESCRIPTOR_TABLE_SHIFT 12
struct rfs_descriptor_table {
	uint64_t time, known;
	uint64_t context; /* changes whenever one of the other fields changes; 0: never used */
	uint32_t thread;
	rfs_lockset locks;
	struct rfs_descriptor_entry
		last[1u << RFS_DESCRIPTOR_TABLE_SHIFT]; /* by site, kind and size: two places for each */
};

/* Zeroed memory contains none; rfs_descriptors_release() frees the memory. */
struct rfs_descriptors {
	struct rfs_descriptor_data *all; /* by number; 0 is not used */
	size_t n, capacity;
	uint32_t first_free;
	struct rfs_descriptor_table **tables; /* by thread; NULL: none yet */
	size_t n_tables;
	uint64_t last_serial, last_context;
};

/* The table of a thread with these locks held and this version of its clock. */
struct rfs_descriptor_table *rfs_descriptors_table(struct rfs_descriptors *stamps, uint32_t thread, uint64_t time,
						   rfs_lockset locks, uint64_t known);

/* Makes the entry, which is empty or for this access, the thread's current one. */
void rfs_descriptors_renew(struct rfs_descriptors *stamps, const struct rfs_descriptor_table *table,
			   struct rfs_descriptor_entry *entry, rfs_site site, uint64_t size, unsigned access);
/* The entry at the first place is for another access: takes the entry at the second place, or replaces one. */
struct rfs_descriptor_entry *rfs_descriptors_other(struct rfs_descriptors *stamps, struct rfs_descriptor_table *table,
						   size_t place, rfs_site site, uint64_t size, unsigned access);

static inline bool rfs_descriptors_is_of(const struct rfs_descriptor_entry *entry, rfs_site site, uint64_t size,
					 unsigned access)
{
	return entry->site == site && entry->size == size && entry->access == access;
}

/* The stamp for an access of the table's thread. Its entry is valid until the thread asks again. Moves the array of
 * stamps. */
static inline const struct rfs_descriptor_entry *rfs_descriptors_get(struct rfs_descriptors *stamps,
								     struct rfs_descriptor_table *table, rfs_site site,
								     uint64_t size, unsigned access)
{
	/* Fibonacci hashing: sites are addresses of instructions, near each other */
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
}

void rfs_descriptors_release(struct rfs_descriptors *stamps);

#endif
