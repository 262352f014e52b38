/*
 * stamp.h - what accesses have in common, interned: who, where in the code, when, how, under which locks. A loop that
 * sweeps over memory makes one stamp for each of its statements, and shadow memory holds numbers of 4 bytes.
 *
 * Stamps are counted by those who keep their number, and used again once nobody does, so that there are at most as many
 * as shadow memory has places, however long the run. Two stamps may say the same: each thread finds its last ones by
 * their sites in a small table, and makes a new one where that has none.
 */
#ifndef RFS_STAMP_H
#define RFS_STAMP_H

#include "policy/lockset.h"
#include "policy/policy.h"

typedef uint32_t rfs_stamp; /* 0: none */

struct rfs_stamp_data {
	rfs_site site;
	uint64_t time; /* of the thread's own clock, > 0 */
	uint64_t size; /* bytes, of the whole access */
	uint32_t thread;
	rfs_lockset locks;
	unsigned access; /* enum rfs_access_flags */
	uint32_t count;	 /* who keeps it; free ones: the next free one */
};

/* A thread's last stamps: the statements of a loop, and more; 1 KiB. */
#define RFS_STAMP_TABLE_SHIFT 8
struct rfs_stamp_table {
	rfs_stamp last[1u << RFS_STAMP_TABLE_SHIFT]; /* by site; each is kept */
};

/* Zeroed memory has none; rfs_stamps_release() frees what it grew. */
struct rfs_stamps {
	struct rfs_stamp_data *all; /* by number; 0 is not used */
	size_t n, capacity;
	uint32_t first_free;
	struct rfs_stamp_table *tables; /* by thread */
	size_t n_tables;
};

/* Makes one for this (its count is ignored), in place of the one in the thread's table. Moves the array. */
rfs_stamp rfs_stamps_new(struct rfs_stamps *stamps, const struct rfs_stamp_data *data);

/* Fibonacci hashing: sites are addresses of instructions, near each other. */
static inline size_t rfs_stamp_place(rfs_site site)
{
	return (site * 0x9e3779b97f4a7c15u) >> (64 - RFS_STAMP_TABLE_SHIFT);
}

/* The number for this. Valid until the same thread asks again, or as long as somebody keeps it. Moves the array. */
static inline rfs_stamp rfs_stamps_get(struct rfs_stamps *stamps, const struct rfs_stamp_data *data)
{
	if (data->thread < stamps->n_tables) {
		rfs_stamp last = stamps->tables[data->thread].last[rfs_stamp_place(data->site)];
		const struct rfs_stamp_data *known = &stamps->all[last];

		if (last && known->site == data->site && known->time == data->time && known->locks == data->locks &&
		    known->access == data->access && known->size == data->size)
			return last;
	}
	return rfs_stamps_new(stamps, data);
}

static inline void rfs_stamps_keep(struct rfs_stamps *stamps, rfs_stamp stamp)
{
	stamps->all[stamp].count++;
}

static inline void rfs_stamps_drop(struct rfs_stamps *stamps, rfs_stamp stamp)
{
	struct rfs_stamp_data *data = &stamps->all[stamp];

	if (--data->count)
		return;
	data->count = stamps->first_free;
	stamps->first_free = stamp;
}

void rfs_stamps_release(struct rfs_stamps *stamps);

#endif
