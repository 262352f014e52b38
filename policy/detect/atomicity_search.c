/* atomicity_search.c - finds the violations at one granule; the head of atomicity.h has the rules. */
#include "policy/detect/atomicity_search.h"

#include "policy/detect/atom_run.h"
#include "policy/detect/atom_unit.h"
#include "policy/detect/atomicity_pattern.h"
#include "policy/policy.h"

/* The three units. */
struct triple {
	const struct atom_unit *first, *remote, *second;
};

/* ---- locks ---- */

/* A lock that all three hold, and that the first thread has released in between. guessed: the remote thread will hold
 * it as the second section does. */
static const struct atom_hold *atomicity_search_common_lock(const struct triple *t, bool guessed)
{
	for (size_t i = 0; i < t->remote->first->n_holds; i++) {
		const struct atom_hold *remote = &t->remote->first->holds[i],
				       *first = rfs_atom_hold_in(t->first, remote->lock),
				       *second = rfs_atom_hold_in(t->second, remote->lock);

		if (!first || !second || first->instance == second->instance)
			continue;
		if (guessed ? !second->shared : rfs_atom_exclude(first, remote) && rfs_atom_exclude(second, remote))
			return remote;
	}
	return NULL;
}

/* Whether the first thread holds a lock all the time that the remote thread needs. */
static bool is_locked_out(const struct triple *t)
{
	for (size_t i = 0; i < t->remote->first->n_holds; i++) {
		const struct atom_hold *remote = &t->remote->first->holds[i],
				       *first = rfs_atom_hold_in(t->first, remote->lock),
				       *second = rfs_atom_hold_in(t->second, remote->lock);

		if (first && second && first->instance == second->instance && rfs_atom_exclude(first, remote))
			return true;
	}
	return false;
}

/* ---- order ---- */

/* Whether no message forces the remote unit before the end of the first one, or after the start of the second one. */
static bool atomicity_search_can_come_between(const struct triple *t)
{
	return !rfs_atom_is_before(t->remote->first, t->first->last) &&
	       !rfs_atom_is_before(t->second->first, t->remote->last);
}

static uint64_t atomicity_search_distance_of(const struct triple *t)
{
	const uint64_t at = t->remote->first->sequence, from = t->first->last->sequence,
		       to = t->second->first->sequence;

	return at < from ? from - at : at > to ? at - to : 0;
}

/* ---- patterns ---- */

struct match {
	enum rfs_atomicity_pattern pattern;
	unsigned rank;
	unsigned how[3]; /* of first, remote and second: ATOM_READ or ATOM_WRITE */
};

/* A loop that waits for a condition: the first section ended with the wait, after which the second one looks again. */
static bool checks_again(const struct triple *t, const struct atom_hold *lock)
{
	const struct atom_hold *first = lock ? rfs_atom_hold_in(t->first, lock->lock) : NULL,
			       *second = lock ? rfs_atom_hold_in(t->second, lock->lock) : NULL;

	return first && second && second->resumes == first->instance && (t->second->flags & ATOM_READ) &&
	       !(t->second->flags & ATOM_WRITES_FIRST);
}

static bool atomicity_search_find_pattern(const struct triple *t, struct match *out)
{
	const unsigned first = t->first->flags, remote = t->remote->flags, second = t->second->flags;
	const bool frees = remote & ATOM_FREE;

	if (remote & ATOM_WRITE) {
		if ((first & ATOM_READ) && (second & ATOM_WRITES_FIRST)) {
			*out = (struct match){RFS_ATOMICITY_RWW, 0, {ATOM_READ, ATOM_WRITE, ATOM_WRITE}};
			return true;
		}
		if ((first & ATOM_READ) && (second & ATOM_READ)) {
			*out = (struct match){RFS_ATOMICITY_RWR, frees ? 0 : 1, {ATOM_READ, ATOM_WRITE, ATOM_READ}};
			return true;
		}
		if ((first & ATOM_WRITE) && (second & ATOM_READ)) {
			*out = (struct match){RFS_ATOMICITY_WWR, frees ? 1 : 2, {ATOM_WRITE, ATOM_WRITE, ATOM_READ}};
			return true;
		}
	}
	if ((remote & ATOM_READ) && (first & ATOM_WRITE) && (second & ATOM_WRITE)) {
		*out = (struct match){RFS_ATOMICITY_WRW, 3, {ATOM_WRITE, ATOM_READ, ATOM_WRITE}};
		return true;
	}
	return false;
}

/*
 * The remote thread has looked as the first thread has, at the same place in the code, and then has not written: what
 * it saw was not the same. In another run it may write as the first thread does.
 */
static bool may_write_too(const struct triple *t, struct match *out)
{
	if (!(t->first->flags & t->remote->flags & ATOM_READ) || t->first->read != t->remote->read ||
	    (t->remote->flags & ATOM_WRITE) || !(t->second->flags & ATOM_WRITE))
		return false;
	*out = (struct match){RFS_ATOMICITY_RWW, 1, {ATOM_READ, ATOM_READ, ATOM_WRITE}};
	if (!(t->second->flags & ATOM_WRITES_FIRST))
		*out = (struct match){RFS_ATOMICITY_RWR, 2, {ATOM_READ, ATOM_READ, ATOM_READ}};
	return true;
}

/* ---- results ---- */

static void try_triple(struct atom_run *run, const struct atom_cell *cell, const struct triple *t)
{
	const struct atom_hold *lock;
	const unsigned all = t->first->flags & t->remote->flags & t->second->flags;
	const bool same = t->first->address == t->remote->address && t->first->address == t->second->address;
	/* what the kernel keeps needs no lock, so a lock that only one of the threads holds says nothing */
	const bool atomic = (all & ATOM_CALL) || ((all & ATOM_ATOMIC) && same);
	struct rfs_atomicity_violation violation;
	struct atom_key key = {{0}};
	struct match match;
	bool guessed;

	guessed = !atomicity_search_find_pattern(t, &match);
	if (guessed && !may_write_too(t, &match))
		return;
	lock = atomicity_search_common_lock(t, guessed);
	if ((!lock && !atomic) || is_locked_out(t) || !atomicity_search_can_come_between(t) || checks_again(t, lock))
		return;
	violation = (struct rfs_atomicity_violation){
		.pattern = match.pattern,
		.address = rfs_atom_address(cell, t->first, match.how[0]),
		.lock = lock ? lock->lock : 0,
		.rank = match.rank,
		.distance = atomicity_search_distance_of(t),
	};
	rfs_atom_describe(t->first, match.how[0], lock, &key.sections[0], &violation.first);
	rfs_atom_describe(t->remote, match.how[1], lock, &key.sections[2], &violation.remote);
	rfs_atom_describe(t->second, match.how[2], lock, &key.sections[4], &violation.second);
	if (guessed) {
		violation.remote.site = t->second->write;
		violation.remote.access = violation.second.access | RFS_ACCESS_WRITE;
		violation.remote.access &= ~(unsigned)RFS_ACCESS_READ;
	}
	rfs_atom_add(run, &key, &violation);
}

static void atomicity_search_try_units(struct atom_run *run, const struct atom_cell *cell,
				       const struct atom_local *local, const struct atom_units *units)
{
	if (local->first[0].first->thread == units->list[0].first->thread ||
	    !rfs_atom_meet(&local->first[0], &units->list[0]))
		return;
	for (size_t i = 0; i < local->n; i++)
		for (size_t k = 0; k < units->n; k++)
			try_triple(run, cell, &(struct triple){&local->first[i], &units->list[k], &local->second[i]});
}

void rfs_atomicity_search(struct atom_run *run, const struct atom_cell *cell)
{
	for (size_t i = 0; i < cell->n_locals; i++)
		for (size_t k = 0; k < cell->n_units; k++)
			if (!(cell->units[k].list[0].flags & ATOM_SYNC))
				atomicity_search_try_units(run, cell, &cell->locals[i], &cell->units[k]);
}
