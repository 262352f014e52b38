/* history-priv.h - the inside of a history: history.c has the pages, granule.c their granules, relation.c the rules.
 */
#ifndef RFS_HISTORY_PRIV_H
#define RFS_HISTORY_PRIV_H

#include "policy/shadow/cell_state.h"
#include "policy/shadow/history.h"
#include "policy/shadow/shadow.h"
#include "policy/shadow/superseded.h"

/* The cells of one granule that shares them with no other. */
struct rfs_cell_list {
	struct rfs_cell *items;
	uint32_t n, capacity; /* n 0: free; capacity: the next free one then */
	uint64_t life;	      /* different for each list, and changed whenever a list loses an access */
};

/*
 * The filter for repeated accesses of a loop: bytes of a granule with a private list at which the cells cover an
 * access. They do so until the list loses something.
 */
struct rfs_covered {
	uint64_t life : 56; /* the list's `life` at that time */
	uint64_t mask : 8;
	uint64_t serial; /* of the access (access_descriptor.h); 0: none */
};

#define RFS_COVERED_SHIFT 17

struct rfs_history {
	enum rfs_history_rule rule;
	struct rfs_locksets *sets;
	rfs_history_race *race;
	void *arg;
	struct rfs_descriptors stamps;
	struct rfs_shadow shadow;
	struct rfs_superseded_list olders;
	struct rfs_cell_list *lists; /* by number */
	size_t n_lists, lists_capacity;
	uint32_t free_list; /* number + 1, 0: none */
	uint64_t last_life;
	struct rfs_covered *covered; /* by granule and access */
	uint32_t credit;	     /* the time that shared states saved recently (granule.c) */
	struct rfs_cell_states states;
};

/* A new access on its way through the pages. */
struct rfs_adding {
	struct rfs_history *history;
	const struct rfs_vclock *knows;
	rfs_access_descriptor stamp;
	uint64_t serial;
	struct rfs_descriptor_data new; /* a copy: the stamps may move */
	rfs_addr first, last;		/* bytes */
};

/* ---- relation.c ---- */

enum rfs_relation {
	RFS_UNRELATED,
	RFS_RACES,  /* the new access races with the earlier one */
	RFS_COVERS, /* the earlier one makes the new one superfluous, at the bytes that they share */
	RFS_YIELDS, /* the new one makes the earlier one superfluous there */
};

/* The start of one of a cell's accesses. */
struct rfs_origin {
	rfs_access_descriptor stamp;
	uint8_t part, start;
};

/* `earlier` was made before, and both share bytes. core: the locks common to all accesses that would yield with it. */
enum rfs_relation rfs_relate(const struct rfs_adding *adding, const struct rfs_descriptor_data *earlier,
			     rfs_lockset core);
/* The same for all accesses of a cell; *racing is one that races, if any does. */
enum rfs_relation rfs_relate_cell(const struct rfs_adding *adding, const struct rfs_cell *cell,
				  struct rfs_origin *racing);
/* Reports that the new access races with one that has a cell in the granule at this address, at these bytes … */
void rfs_report_cell(const struct rfs_adding *adding, rfs_addr granule, const struct rfs_origin *origin, uint8_t mask);
/* … with a long one at these granules of the page: reports the first run of them. */
void rfs_report_range(const struct rfs_adding *adding, rfs_addr page, const struct rfs_range_access *range,
		      const struct rfs_granule_set *granules);

/* ---- granule.c ---- */

#define RFS_CREDIT_MAX 100000u /* steps that were known */

/* What of an access is looked at: is it compared with the cells, and what is not covered then added to them? */
enum rfs_granule_step { RFS_GRANULE_COMPARE = 1, RFS_GRANULE_PUT = 2, RFS_GRANULE_BOTH = 3 };

/* Handles the new access to these bytes of a granule. Returns the bytes that cells cover, which need not be kept. */
uint8_t rfs_granule_add(const struct rfs_adding *adding, struct rfs_region *region, rfs_addr granule, uint8_t mask,
			enum rfs_granule_step step);
/* Changes a granule by a known step. */
void rfs_granule_take_step(struct rfs_history *history, struct rfs_region *region, rfs_addr granule,
			   const struct rfs_step *known);
/* Adds an access of this stamp, which began at address, to these bytes of a granule, as its last cell. */
void rfs_granule_put(struct rfs_history *history, struct rfs_region *region, rfs_addr granule, uint8_t mask,
		     rfs_access_descriptor stamp, rfs_addr address);
/* These bytes are used for something new. */
void rfs_granule_reset(struct rfs_history *history, struct rfs_region *region, rfs_addr granule, uint8_t mask);
void rfs_granules_release(struct rfs_history *history);

static inline unsigned rfs_granule_number(rfs_addr address)
{
	return address >> RFS_GRANULE_SHIFT & (RFS_GRANULES - 1);
}

/* The position in a granule of an access that began at address, for the cell. */
static inline uint8_t rfs_granule_part(rfs_addr granule, rfs_addr address)
{
	uint64_t part = (granule >> RFS_GRANULE_SHIFT) - (address >> RFS_GRANULE_SHIFT);

	return part < RFS_CELL_FAR ? (uint8_t)part : RFS_CELL_FAR;
}

static inline uint8_t rfs_granule_start(rfs_addr granule, rfs_addr address, uint64_t size)
{
	if (size <= (1u << RFS_GRANULE_SHIFT) && !(size & (size - 1)) && !(address & (size - 1)))
		return RFS_CELL_ALIGNED;
	if (rfs_granule_part(granule, address) == RFS_CELL_FAR)
		return 0;
	return address & ((1u << RFS_GRANULE_SHIFT) - 1);
}

/* Everything that a step depends on, except the state and the serial. */
static inline uint32_t rfs_granule_how(rfs_addr granule, rfs_addr address, uint8_t mask, enum rfs_granule_step step)
{
	return (uint32_t)step << 24 | (uint32_t)rfs_granule_part(granule, address) << 16 |
	       (uint32_t)(address & ((1u << RFS_GRANULE_SHIFT) - 1)) << 8 | mask;
}

static inline bool rfs_granule_is_step(const struct rfs_step *known, rfs_cell_state from, uint64_t serial, uint32_t how)
{
	return known->serial == serial && known->from == from && known->how == how;
}

/* Takes a known step, which may or may not change the state. */
static inline void rfs_granule_follow(struct rfs_history *history, struct rfs_region *region, rfs_addr granule,
				      const struct rfs_step *known)
{
	history->credit += history->credit < RFS_CREDIT_MAX;
	if (known->to != known->from)
		rfs_granule_take_step(history, region, granule, known);
}

/*
 * rfs_granule_add() in both steps for an access from address on, if it was computed before: false if it was not. (The
 * word of a granule with a private list is not the number of a state.)
 */
static inline bool rfs_granule_add_known(struct rfs_history *history, struct rfs_region *region, rfs_addr granule,
					 rfs_addr address, uint8_t mask, uint64_t serial)
{
	const uint32_t word = *rfs_shadow_word(region, granule);
	const uint32_t how = rfs_granule_how(granule, address, mask, RFS_GRANULE_BOTH);
	const struct rfs_step *known = rfs_cell_states_step(&history->states, word, serial, how);

	if (!rfs_granule_is_step(known, word, serial, how))
		return false;
	rfs_granule_follow(history, region, granule, known);
	return true;
}

#endif
