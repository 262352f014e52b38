/* history-priv.h - the inside of struct rfs_history: history.c handles pages, granule.c granules, relation.c the
 * rules. */
#ifndef RFS_HISTORY_PRIV_H
#define RFS_HISTORY_PRIV_H

#include "policy/shadow/cell_state.h"
#include "policy/shadow/history.h"
#include "policy/shadow/shadow.h"
#include "policy/shadow/superseded.h"

/* The private list of a granule: its cells, if it is in no state. */
struct rfs_cell_list {
	struct rfs_cell *items;
	uint32_t n, capacity; /* n 0: the list is free, and capacity is the next free number + 1 */
	uint64_t life;	      /* differs between lists, and changes whenever the list loses an access */
};

/*
 * An entry of the filter for accesses that a loop repeats. It says at which bytes of a granule with a private list the
 * cells already cover an access. This holds until the list loses an access.
 */
struct rfs_covered {
	uint64_t life : 56; /* `life` of the list when this was found */
	uint64_t mask : 8;
	uint64_t serial; /* serial number of the access (access_descriptor.h); 0: the entry is empty */
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
	struct rfs_cell_list *lists; /* private lists, by number */
	size_t n_lists, lists_capacity;
	uint32_t free_list; /* number + 1 of the first free list; 0: none */
	uint64_t last_life;
	struct rfs_covered *covered;   /* the filter, by hash of granule and serial number */
	uint32_t credit;	       /* time that shared states have saved recently (granule.c) */
	struct rfs_suspects suspects;  /* RFS_HISTORY_PLACES: the granules with races */
	struct rfs_suspects *expected; /* only accesses to these places are added; borrowed; NULL: all are */
	struct rfs_cell_states states;
	uint64_t bytes; /* of the memory in use: counted by the members above, so it does not depend on the allocator */
	uint64_t limit; /* more bytes than this are not kept (forget.c) */
	uint64_t watch; /* above this number of bytes, rfs_history_check_memory() has something to do */
	struct rfs_detector_memory memory;
};

/* A flag beside enum rfs_access_flags: the thread knew more than its clock. */
#define RFS_KNEW_MORE (1u << 31)

/* The new access that is being added. */
struct rfs_adding {
	struct rfs_history *history;
	const struct rfs_vclock *knows, *clock, *full; /* as in struct rfs_history_thread */
	rfs_access_descriptor stamp;
	uint64_t serial;
	struct rfs_descriptor_data new; /* a copy of the descriptor, because stamps.all may move */
	rfs_addr first, last;		/* addresses of the first and last byte */
	bool freed;			/* the access is a free; RFS_HISTORY_PLACES has no descriptor of frees */
};

/* RFS_HISTORY_PLACES finds no races at a suspect and keeps no accesses to it. */
#define RFS_GRANULE_SUSPECT UINT32_MAX

static inline bool rfs_history_finds_places(const struct rfs_history *history)
{
	return history->rule == RFS_HISTORY_PLACES;
}

/* The address that says how an access is stored in a granule. Places are the same wherever the access began. */
static inline rfs_addr rfs_adding_origin(const struct rfs_adding *adding, rfs_addr granule)
{
	return rfs_history_finds_places(adding->history) ? granule : adding->first;
}

/* ---- relation.c ---- */

enum rfs_relation {
	RFS_UNRELATED,
	RFS_RACES,  /* the new access races with the earlier one */
	RFS_COVERS, /* the earlier access makes the new one superfluous, at the bytes that both access */
	RFS_YIELDS, /* the new access makes the earlier one superfluous there */
};

/* Descriptor and start of one of the accesses in a cell. */
struct rfs_origin {
	rfs_access_descriptor stamp;
	uint8_t part, start;
};

/* How the new access relates to `earlier`, which shares bytes with it. core: the locks common to all accesses that
 * would be dropped together with `earlier`. */
enum rfs_relation rfs_relate(const struct rfs_adding *adding, const struct rfs_descriptor_data *earlier,
			     rfs_lockset core);
/* Like rfs_relate(), but for all accesses of a cell. If one of them races, *racing is set to it. */
enum rfs_relation rfs_relate_cell(const struct rfs_adding *adding, const struct rfs_cell *cell,
				  struct rfs_origin *racing);
/* Reports a race of the new access with an access of a cell, at these bytes of the granule. */
void rfs_report_cell(const struct rfs_adding *adding, rfs_addr granule, const struct rfs_origin *origin, uint8_t mask);
/* Reports a race of the new access with a long access, at the first contiguous run of these granules of the page.
 * RFS_HISTORY_PLACES: makes all these granules suspects. */
void rfs_report_range(const struct rfs_adding *adding, rfs_addr page, const struct rfs_range_access *range,
		      const struct rfs_granule_set *granules);

/* ---- history.c ---- */

/* Adds an access of this size, which is not 0. The caller has set everything that does not depend on the address. */
void rfs_adding_at(struct rfs_adding *adding, rfs_addr address, uint64_t size);

/* RFS_HISTORY_PLACES: makes cells of all ranges on the page of this address. */
void rfs_ranges_to_words(struct rfs_history *history, struct rfs_region *region, rfs_addr address);

/* ---- access_runs.c ---- */

/* RFS_HISTORY_PLACES: adds accesses that cover these bytes without a gap. All are on one page. It stores no range. */
void rfs_adding_bytes(struct rfs_adding *adding, rfs_addr first, uint64_t size);
/* RFS_HISTORY_PLACES: adds n accesses of this size, which is not 0. Each is `distance` bytes behind the one before. */
void rfs_adding_run(struct rfs_adding *adding, rfs_addr address, uint64_t size, int64_t distance, size_t n);

/* ---- forget.c ---- */

/* Call it after each access of this thread. */
void rfs_history_forget(struct rfs_history *history, uint32_t thread);
static inline void rfs_history_check_memory(struct rfs_history *history, uint32_t thread)
{
	if (__builtin_expect(history->bytes > history->watch, 0))
		rfs_history_forget(history, thread);
}

/* ---- granule.c ---- */

#define RFS_CREDIT_MAX 100000u /* in lookups of known steps */

/* What to do with an access: compare it with the cells; put it into the cells where they do not cover it; or both. */
enum rfs_granule_step { RFS_GRANULE_COMPARE = 1, RFS_GRANULE_PUT = 2, RFS_GRANULE_BOTH = 3 };

/* Handles the new access to these bytes of a granule. Returns the bytes at which cells cover it, so that it need not be
 * stored. */
uint8_t rfs_granule_add(const struct rfs_adding *adding, struct rfs_region *region, rfs_addr granule, uint8_t mask,
			enum rfs_granule_step step);
/* Moves a granule to the state that a known step leads to. */
void rfs_granule_take_step(struct rfs_history *history, struct rfs_region *region, rfs_addr granule,
			   const struct rfs_step *known);
/* Moves those of n granules that are in the same state as the first one, until one is in another state. They follow at
 * this distance, on one page. The first one must be in the state known->from, and known->to must not be
 * RFS_GRANULE_SUSPECT. Returns their number. */
size_t rfs_granules_take_step(struct rfs_history *history, struct rfs_region *region, rfs_addr granule,
			      uint64_t distance, size_t n, const struct rfs_step *known);
/* Adds a cell at the end: an access with this descriptor, which began at address, to these bytes of the granule. */
void rfs_granule_put(struct rfs_history *history, struct rfs_region *region, rfs_addr granule, uint8_t mask,
		     rfs_access_descriptor stamp, rfs_addr address);
/* RFS_HISTORY_PLACES: the same for an access to whole granules of a page. */
void rfs_granules_put(struct rfs_history *history, struct rfs_region *region, rfs_addr page,
		      const struct rfs_granule_set *granules, rfs_access_descriptor stamp);
/* These bytes have a new use: forgets all accesses to them. */
void rfs_granule_reset(struct rfs_history *history, struct rfs_region *region, rfs_addr granule, uint8_t mask);
/* RFS_HISTORY_PLACES: makes the granule a suspect. */
void rfs_granule_suspect(struct rfs_history *history, struct rfs_region *region, rfs_addr granule);
void rfs_granules_release(struct rfs_history *history);

static inline unsigned rfs_granule_number(rfs_addr address)
{
	return address >> RFS_GRANULE_SHIFT & (RFS_GRANULES - 1);
}

/* The members part and start of the cell of an access that began at address. */
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

/* Everything that a step depends on, except the state and the serial number. */
static inline uint32_t rfs_granule_how(rfs_addr granule, rfs_addr address, uint8_t mask, enum rfs_granule_step step)
{
	return (uint32_t)step << 24 | (uint32_t)rfs_granule_part(granule, address) << 16 |
	       (uint32_t)(address & ((1u << RFS_GRANULE_SHIFT) - 1)) << 8 | mask;
}

static inline bool rfs_granule_is_step(const struct rfs_step *known, rfs_cell_state from, uint64_t serial, uint32_t how)
{
	return known->serial == serial && known->from == from && known->how == how;
}

/* Follows a known step, even if it does not change the state. */
static inline void rfs_granule_follow(struct rfs_history *history, struct rfs_region *region, rfs_addr granule,
				      const struct rfs_step *known)
{
	history->credit += history->credit < RFS_CREDIT_MAX;
	if (known->to != known->from)
		rfs_granule_take_step(history, region, granule, known);
}

/*
 * Does the same as rfs_granule_add() with RFS_GRANULE_BOTH if this step is known; otherwise returns false. It also
 * returns false for a granule with a private list, because its word is not the number of a state.
 */
static inline bool rfs_granule_add_known(struct rfs_history *history, struct rfs_region *region, rfs_addr granule,
					 rfs_addr address, uint8_t mask, uint64_t serial)
{
	const uint32_t word = *rfs_shadow_word(region, granule);
	const uint32_t how = rfs_granule_how(granule, address, mask, RFS_GRANULE_BOTH);
	const struct rfs_step *known = rfs_cell_states_step(&history->states, word, serial, how);

	if (word == RFS_GRANULE_SUSPECT)
		return true;
	if (!rfs_granule_is_step(known, word, serial, how))
		return false;
	rfs_granule_follow(history, region, granule, known);
	return true;
}

#endif
