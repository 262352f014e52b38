/*
 * cell_state.h - what granules remember, shared: an array whose elements all went through the same accesses has one
 * state for all of them, and what an access makes of a state is worked out once, then looked up. So the cost of an
 * access in a loop does not depend on how much is remembered of each place, and shadow memory has 4 bytes a granule.
 *
 * States are immutable and interned: equal lists of cells have equal numbers. They are counted by the granules that are
 * in them. One that no granule is in stays known, with its number, until there are many such; then they go, and with
 * them all that was looked up.
 */
#ifndef RFS_CELL_STATE_H
#define RFS_CELL_STATE_H

#include <stdbool.h>

#include "policy/shadow/cell.h"

typedef uint32_t rfs_cell_state; /* 0: no access */

#define RFS_CELL_STATE_CELLS 12 /* a state has at most this many: longer lists are never shared */

struct rfs_cell_state_data {
	uint32_t granules; /* in this state */
	uint32_t next;	   /* in its bucket; free ones: the next free one */
	uint32_t hash;
	uint8_t n;
	bool listed; /* among the unused ones */
	struct rfs_cell *cells;
};

/* The effect of an access on a state. */
struct rfs_step {
	uint64_t serial; /* of the access (access_descriptor.h); 0: the entry is empty */
	rfs_cell_state from, to;
	uint32_t how;	 /* the user's */
	uint8_t covered; /* as well */
};

#define RFS_STEPS_SHIFT 14

struct rfs_cell_states {
	struct rfs_descriptors *stamps;
	struct rfs_cell_state_data *all; /* by number; 0 is not used */
	size_t n, capacity, in_use;
	uint32_t first_free;
	uint32_t *buckets;
	size_t n_buckets; /* a power of 2 */
	rfs_cell_state *unused;
	size_t n_unused, unused_capacity;
	struct rfs_step steps[1u << RFS_STEPS_SHIFT];
};

/* Zeroed memory plus this. stamps: borrowed until rfs_cell_states_release(). */
void rfs_cell_states_init(struct rfs_cell_states *states, struct rfs_descriptors *stamps);
void rfs_cell_states_release(struct rfs_cell_states *states);

/* The state with these cells, 1 to RFS_CELL_STATE_CELLS, for one more granule. The cells' hold of their stamps becomes
 * the state's. */
rfs_cell_state rfs_cell_states_intern(struct rfs_cell_states *states, const struct rfs_cell *cells, size_t n);

static inline void rfs_cell_states_enter(struct rfs_cell_states *states, rfs_cell_state state)
{
	if (state)
		states->all[state].granules++;
}

/* Counts one granule less. */
void rfs_cell_states_unused(struct rfs_cell_states *states, rfs_cell_state state);
static inline void rfs_cell_states_leave(struct rfs_cell_states *states, rfs_cell_state state)
{
	if (state && !--states->all[state].granules)
		rfs_cell_states_unused(states, state);
}

/* The place for this step; its members are those of another step if this one is not known. */
static inline struct rfs_step *rfs_cell_states_step(struct rfs_cell_states *states, rfs_cell_state from,
						    uint64_t serial, uint32_t how)
{
	uint64_t key = ((uint64_t)from << 32 ^ serial) * 0x9e3779b97f4a7c15u + how * UINT64_C(0xff51afd7ed558ccd);

	return &states->steps[key >> (64 - RFS_STEPS_SHIFT)];
}

#endif
