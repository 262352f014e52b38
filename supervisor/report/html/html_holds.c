/*
 * html_holds.c - which thread holds which locks, operation by operation.
 *
 * The trace shows which locks are held, with two exceptions. It does not show whether a trylock succeeded. If the same
 * thread later unlocks the lock, the trylock counts as successful. A trace of an older version does not show either
 * which mutex a condition wait releases. It is assumed to be the mutex that the thread locked last.
 */
#include "supervisor/report/html/html_holds.h"

#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/report/html/html-priv.h"

void rfs_html_holds_open(struct rfs_html_holds *holds, struct rfs_html_names *names,
			 const struct rfs_trace_entry *entries, size_t n)
{
	*holds = (struct rfs_html_holds){.names = names, .entries = entries, .n = n, .n_lanes = 1};
	for (size_t i = 0; i < n; i++)
		if (entries[i].thread >= holds->n_lanes)
			holds->n_lanes = entries[i].thread + 1u;
	holds->lanes = xcalloc(holds->n_lanes, sizeof(*holds->lanes));
}

void rfs_html_holds_again(struct rfs_html_holds *holds)
{
	memset(holds->lanes, 0, holds->n_lanes * sizeof(*holds->lanes));
	holds->lanes[0].alive = true;
	holds->order = 0;
}

/* The lock that operation i is on. */
static struct rfs_html_lock *html_holds_lock_of(struct rfs_html_holds *t, size_t i)
{
	const struct rfs_trace_entry *entry = &t->entries[i];
	struct rfs_html_lock *lock, wanted;

	memset(&wanted, 0, sizeof(wanted));
	wanted.key.offset = entry->offset;
	wanted.key.where = (uint64_t)entry->name << 16 | entry->index;
	HASH_FIND(hh, t->locks, &wanted.key, sizeof(wanted.key), lock);
	if (lock)
		return lock;
	lock = xcalloc(1, sizeof(*lock));
	lock->key = wanted.key;
	lock->object = rfs_trace_object(entry);
	lock->number = HASH_COUNT(t->locks);
	lock->name = rfs_html_object(t->names, i);
	HASH_ADD(hh, t->locks, key, sizeof(lock->key), lock);
	return lock;
}

static struct rfs_html_hold *html_holds_hold_of(struct rfs_html_lane *lane, const struct rfs_html_lock *lock)
{
	for (unsigned i = 0; i < RFS_HTML_SLOTS; i++)
		if (lane->slot[i].lock == lock)
			return &lane->slot[i];
	return NULL;
}

static void html_holds_acquire(struct rfs_html_holds *t, struct rfs_html_lane *lane, const struct rfs_html_lock *lock)
{
	struct rfs_html_hold *hold = html_holds_hold_of(lane, lock);

	if (!hold)
		hold = html_holds_hold_of(lane, NULL);
	if (!hold)
		return; /* the thread holds more locks than there can be bars */
	hold->lock = lock;
	hold->count++;
	hold->order = ++t->order;
	if ((size_t)(hold - lane->slot) >= t->slots)
		t->slots = (unsigned)(hold - lane->slot) + 1;
}

static void html_holds_release(struct rfs_html_lane *lane, const struct rfs_html_lock *lock)
{
	struct rfs_html_hold *hold = lock ? html_holds_hold_of(lane, lock) : NULL;

	if (hold && --hold->count == 0)
		hold->lock = NULL;
}

static const struct rfs_html_lock *taken_last(const struct rfs_html_lane *lane)
{
	const struct rfs_html_hold *last = NULL;

	for (unsigned i = 0; i < RFS_HTML_SLOTS; i++)
		if (lane->slot[i].lock && (!last || lane->slot[i].order > last->order))
			last = &lane->slot[i];
	return last ? last->lock : NULL;
}

/* The lock that the thread of this lane gives up for the condition wait; NULL: none. */
static const struct rfs_html_lock *released_by(const struct rfs_html_lane *lane, const struct rfs_trace_entry *wait)
{
	if (!wait->value)
		return taken_last(lane);
	for (unsigned i = 0; i < RFS_HTML_SLOTS; i++) {
		const struct rfs_html_lock *lock = lane->slot[i].lock;

		if (lock && lock->object == wait->value)
			return lock;
	}
	return NULL;
}

static bool same_object(const struct rfs_trace_entry *a, const struct rfs_trace_entry *b)
{
	return a->offset == b->offset && a->name == b->name && a->index == b->index;
}

/* Whether the trylock at index i succeeded. The thread's next operation on the lock shows this. */
static bool unlocks_later(const struct rfs_html_holds *t, size_t i)
{
	const struct rfs_trace_entry *tried = &t->entries[i];

	for (size_t k = i + 1; k < t->n; k++) {
		const struct rfs_trace_entry *entry = &t->entries[k];

		if (entry->thread == tried->thread && same_object(entry, tried))
			return entry->kind == RFS_OP_UNLOCK || entry->kind == RFS_OP_COND_WAIT;
	}
	return false;
}

void rfs_html_holds_apply(struct rfs_html_holds *t, size_t i)
{
	const struct rfs_trace_entry *entry = &t->entries[i];
	struct rfs_html_lane *lane = &t->lanes[entry->thread];

	lane->alive = entry->kind != RFS_OP_EXIT;
	switch (entry->kind) {
	case RFS_OP_LOCK:
	case RFS_OP_RDLOCK:
	case RFS_OP_WRLOCK:
		if (entry->outcome == RFS_OUTCOME_DONE)
			html_holds_acquire(t, lane, html_holds_lock_of(t, i));
		break;
	case RFS_OP_TRYLOCK:
		if (unlocks_later(t, i))
			html_holds_acquire(t, lane, html_holds_lock_of(t, i));
		break;
	case RFS_OP_UNLOCK:
		html_holds_release(lane, html_holds_lock_of(t, i));
		break;
	case RFS_OP_COND_WAIT:
		lane->given_up = released_by(lane, entry);
		html_holds_release(lane, lane->given_up);
		break;
	case RFS_OP_COND_WAKE:
		if (lane->given_up)
			html_holds_acquire(t, lane, lane->given_up);
		lane->given_up = NULL;
		break;
	default:
		break;
	}
}

void rfs_html_locks_free(struct rfs_html_lock *locks)
{
	struct rfs_html_lock *lock, *next;

	HASH_ITER (hh, locks, lock, next) {
		HASH_DEL(locks, lock);
		free(lock->name);
		free(lock);
	}
}
