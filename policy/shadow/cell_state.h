/*
 * cell_state.h - states: lists of cells that many granules share. If all elements of an array had the same accesses,
 * their granules have one common state. The effect of an access on a state is computed once and then looked up. So in a
 * loop, the cost of an access does not depend on how much a granule remembers. And shadow memory needs only 4 bytes for
 * each granule.
 *
 * States never change and are interned: equal lists of cells have equal numbers. A state counts the granules that are
 * in it. A state without granules is kept until there are many of them. Then all of these are freed, and the cache of
 * steps is cleared.
 */
#ifndef RFS_CELL_STATE_H
#define RFS_CELL_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/shadow/cell.h"

typedef uint32_t rfs_cell_state; /* number of a state; 0: no access */

/* The most cells of a state; longer lists are not shared. The states of RFS_HISTORY_PLACES may have more (granule.c).
 */
#define RFS_CELL_STATE_CELLS 12

struct rfs_cell_state_data {
	uint64_t granules; /* number of granules in this state */
	uint32_t next;	   /* the next state in its bucket; if free: the next free number */
	uint32_t hash;
	uint8_t n;
	bool listed; /* is in the list of unused states */
	struct rfs_cell *cells;
};

/* The effect of an access on a state, an entry of the cache of steps. */
struct rfs_step {
	uint64_t serial; /* serial number of the access (access_descriptor.h); 0: the entry is empty */
	rfs_cell_state from, to;
	uint32_t how;	 /* what else the step depends on; rfs_granule_how() makes it */
	uint8_t covered; /* the result of rfs_granule_add() for this step */
};

#define RFS_STEPS_SHIFT 14

struct rfs_cell_states {
	struct rfs_descriptors *stamps;
	uint64_t *bytes;		 /* counts the memory of states; borrowed */
	struct rfs_cell_state_data *all; /* by number; all[0] is not used */
	size_t n, capacity, in_use;
	uint32_t first_free;
	uint32_t *buckets;
	size_t n_buckets; /* a power of 2 */
	rfs_cell_state *unused;
	size_t n_unused, unused_capacity;
	struct rfs_step steps[1u << RFS_STEPS_SHIFT];
};

/* Call this on zeroed memory. stamps and what it borrows are borrowed until rfs_cell_states_release(). */
void rfs_cell_states_init(struct rfs_cell_states *states, struct rfs_descriptors *stamps);
void rfs_cell_states_release(struct rfs_cell_states *states);

/* The state with these cells (1 or more), counting one more granule in it. The state takes over the references of the
 * cells to their descriptors. */
rfs_cell_state rfs_cell_states_intern(struct rfs_cell_states *states, const struct rfs_cell *cells, size_t n);

static inline void rfs_cell_states_enter(struct rfs_cell_states *states, rfs_cell_state state)
{
	if (state)
		states->all[state].granules++;
}

/* rfs_cell_states_leave() counts one granule less; if none is left, rfs_cell_states_unused() lists the state as
 * unused. */
void rfs_cell_states_unused(struct rfs_cell_states *states, rfs_cell_state state);
static inline void rfs_cell_states_leave(struct rfs_cell_states *states, rfs_cell_state state)
{
	if (state && !--states->all[state].granules)
		rfs_cell_states_unused(states, state);
}

/* Frees the states without granules, and clears the cache of steps. */
void rfs_cell_states_forget_unused(struct rfs_cell_states *states);

/* The cache entry where this step belongs. If the step is not known, the entry is empty or of another step. */
static inline struct rfs_step *rfs_cell_states_step(struct rfs_cell_states *states, rfs_cell_state from,
						    uint64_t serial, uint32_t how)
{
	uint64_t key = ((uint64_t)from << 32 ^ serial) * 0x9e3779b97f4a7c15u + how * UINT64_C(0xff51afd7ed558ccd);

	return &states->steps[key >> (64 - RFS_STEPS_SHIFT)];
}

#endif
