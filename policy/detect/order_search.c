/* order_search.c - finds the order violations at one granule; the head of atomicity.h has the rules. */
#include "policy/detect/order_search.h"

#include "policy/detect/atom_run.h"
#include "policy/detect/atom_unit.h"
#include "policy/detect/atomicity_pattern.h"

/* The operation that came first, and the one that came later. */
struct couple {
	const struct atom_unit *first, *later;
};

/* The outermost lock of the first unit that keeps the other one out. NULL: there is none. */
static const struct atom_hold *order_search_common_lock(const struct couple *c)
{
	for (size_t i = 0; i < c->first->first->n_holds; i++) {
		const struct atom_hold *first = &c->first->first->holds[i],
				       *later = rfs_atom_hold_in(c->later, first->lock);

		if (later && rfs_atom_exclude(first, later))
			return first;
	}
	return NULL;
}

/* Whether only luck, or a lock, made them come in this order. */
static bool could_swap(const struct couple *c)
{
	return c->first->first->thread != c->later->first->thread && rfs_atom_meet(c->first, c->later) &&
	       c->first->last->sequence < c->later->first->sequence &&
	       !rfs_atom_is_before(c->first->first, c->later->last);
}

/* Whether a section accesses the granule before this unit. */
static bool order_search_is_first(const struct atom_cell *cell, const struct atom_unit *unit)
{
	for (size_t i = 0; i < cell->n_units; i++)
		if (!(cell->units[i].list[0].flags & ATOM_SYNC) && rfs_atom_meet(&cell->units[i].list[0], unit) &&
		    cell->units[i].list[0].first->sequence < unit->first->sequence)
			return false;
	return true;
}

/* Whether a section accesses the granule after this unit. */
static bool is_used_later(const struct atom_cell *cell, const struct atom_unit *unit)
{
	for (size_t i = 0; i < cell->n_units; i++) {
		const struct atom_units *units = &cell->units[i];

		if (!(units->list[0].flags & ATOM_SYNC) && rfs_atom_meet(&units->list[0], unit) &&
		    units->list[units->n - 1].last->sequence > unit->last->sequence)
			return true;
	}
	return false;
}

static bool order_search_find_pattern(const struct atom_cell *cell, const struct couple *c,
				      enum rfs_atomicity_pattern *out)
{
	const unsigned first = c->first->flags, later = c->later->flags;

	if ((first ^ later) & ATOM_SYNC)
		return false;
	if (first & ATOM_SYNC) {
		*out = RFS_ORDER_WAIT_SIGNAL;
		return (first & ATOM_READ) && (later & ATOM_WRITE);
	}
	if (first & ATOM_FREE)
		return false;
	if (later & ATOM_FREE) {
		*out = RFS_ORDER_USE_FREE;
		return !is_used_later(cell, c->later);
	}
	*out = RFS_ORDER_INIT_USE;
	return (first & ATOM_WRITES_FIRST) && (later & ATOM_READ) && !(later & ATOM_WRITES_FIRST) &&
	       order_search_is_first(cell, c->first);
}

static unsigned order_search_rank_of(enum rfs_atomicity_pattern pattern)
{
	return pattern - RFS_ORDER_USE_FREE;
}

static void try_couple(struct atom_run *run, const struct atom_cell *cell, const struct couple *c)
{
	const struct atom_hold *lock;
	enum rfs_atomicity_pattern pattern;
	unsigned how;
	struct rfs_atomicity_violation violation;
	struct atom_key key = {{0}};

	if (!could_swap(c) || !order_search_find_pattern(cell, c, &pattern))
		return;
	lock = order_search_common_lock(c);
	/* accesses without a common lock race, or are atomic and may be meant so */
	if (!lock && pattern != RFS_ORDER_WAIT_SIGNAL)
		return;
	how = c->first->flags & ATOM_READ && pattern != RFS_ORDER_INIT_USE ? ATOM_READ : ATOM_WRITE;
	violation = (struct rfs_atomicity_violation){
		.pattern = pattern,
		.address = rfs_atom_address(cell, c->first, how),
		.lock = lock ? lock->lock : 0,
		.rank = order_search_rank_of(pattern),
		.distance = c->later->first->sequence - c->first->last->sequence,
	};
	rfs_atom_describe(c->first, how, lock, &key.sections[0], &violation.first);
	rfs_atom_describe(c->later, pattern == RFS_ORDER_INIT_USE ? ATOM_READ : ATOM_WRITE, lock, &key.sections[2],
			  &violation.remote);
	key.sections[4] = pattern;
	violation.second =
		(struct rfs_atomicity_access){.site = lock ? lock->site : 0, .thread = c->first->first->thread};
	if (pattern == RFS_ORDER_WAIT_SIGNAL)
		violation.first.access = violation.remote.access = 0;
	rfs_atom_add(run, &key, &violation);
}

static void order_search_try_units(struct atom_run *run, const struct atom_cell *cell, const struct atom_units *first,
				   const struct atom_units *later)
{
	for (size_t i = 0; i < first->n; i++)
		for (size_t k = 0; k < later->n; k++)
			try_couple(run, cell, &(struct couple){&first->list[i], &later->list[k]});
}

void rfs_order_search(struct atom_run *run, const struct atom_cell *cell)
{
	for (size_t i = 0; i < cell->n_units; i++)
		for (size_t k = 0; k < cell->n_units; k++)
			if (cell->units[i].list[0].first->thread != cell->units[k].list[0].first->thread)
				order_search_try_units(run, cell, &cell->units[i], &cell->units[k]);
}
