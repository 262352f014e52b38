/*
 * dpor_path.c - adds operations with their clocks, and searches a path for races. dpor_tree.c decides what to do
 * about them.
 */
#include "policy/dpor/dpor_path.h"

#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"

static uint32_t time_of(const struct rfs_dpor_event *event, int thread)
{
	return (size_t)thread < event->n_clock ? event->clock[thread] : 0;
}

static bool dpor_path_depend(const struct rfs_dpor_event *a, const struct rfs_dpor_event *b)
{
	return a->on_all || b->on_all || rfs_touches_conflict(a->touches, a->n_touches, b->touches, b->n_touches);
}

static const struct rfs_dpor_event *previous(const struct rfs_dpor_path *path, const struct rfs_dpor_event *event)
{
	return event->before ? &path->events[event->before - 1] : NULL;
}

struct rfs_dpor_event *rfs_dpor_path_add(struct rfs_dpor_path *path, const struct rfs_dpor_next *next)
{
	const struct rfs_op *op = &next->op;
	const int thread = next->choice.thread;
	struct rfs_dpor_event *event;
	size_t before = path->n;

	path->events = rfs_policy_grow(path->events, &path->capacity, path->n + 1, sizeof(*path->events));
	event = &path->events[path->n++];
	*event = (struct rfs_dpor_event){.thread = thread,
					 .on_all = next->on_all,
					 .timed_out = next->choice.outcome == RFS_OUTCOME_TIMED_OUT,
					 .kind = op->kind,
					 .object = op->object,
					 .object2 = op->object2,
					 .waits_for = -1};
	if (op->kind == RFS_OP_JOIN && !event->timed_out && !(op->access & RFS_ACCESS_READ))
		event->waits_for = op->peer;
	event->n_touches = rfs_touches(thread, op, event->touches);
	while (before && path->events[before - 1].thread != thread)
		before--;
	event->never_waits = op->kind == RFS_OP_ACCESS && !next->on_all;
	event->before = before;
	event->number = before ? path->events[before - 1].number + 1 : 1;
	return event;
}

static void dpor_path_join(uint32_t *clock, const struct rfs_dpor_event *event)
{
	for (size_t t = 0; t < event->n_clock; t++)
		if (event->clock[t] > clock[t])
			clock[t] = event->clock[t];
}

uint32_t *rfs_dpor_path_clock(struct rfs_dpor_path *path)
{
	const size_t j = path->n - 1;
	struct rfs_dpor_event *event = &path->events[j];
	const struct rfs_dpor_event *before = previous(path, &path->events[j]);
	uint32_t *clock;
	size_t n = (size_t)event->thread + 1;

	for (size_t i = 0; i < j; i++)
		if ((size_t)path->events[i].thread >= n)
			n = (size_t)path->events[i].thread + 1;
	clock = rfs_policy_zalloc(n, sizeof(*clock));
	if (before)
		dpor_path_join(clock, before);
	for (size_t i = j; i-- > 0;) {
		const struct rfs_dpor_event *other = &path->events[i];

		if (other->thread != event->thread && other->number > clock[other->thread] &&
		    dpor_path_depend(other, event))
			dpor_path_join(clock, other);
	}
	clock[event->thread] = event->number;
	event->clock = clock;
	event->n_clock = n;
	return clock;
}

void rfs_dpor_path_cut(struct rfs_dpor_path *path, size_t n)
{
	path->n = n;
}

void rfs_dpor_path_release(struct rfs_dpor_path *path)
{
	free(path->events);
	*path = (struct rfs_dpor_path){0};
}

bool rfs_dpor_path_before(const struct rfs_dpor_path *path, size_t i, size_t j)
{
	return time_of(&path->events[j], path->events[i].thread) >= path->events[i].number;
}

bool rfs_dpor_path_races(const struct rfs_dpor_path *path, size_t i, size_t j)
{
	const struct rfs_dpor_event *a = &path->events[i], *b = &path->events[j], *before;

	if (a->thread == b->thread || !dpor_path_depend(a, b))
		return false;
	before = previous(path, &path->events[j]);
	return !before || time_of(before, a->thread) < a->number;
}

bool rfs_dpor_path_needs(const struct rfs_dpor_path *path, size_t i, size_t j)
{
	const struct rfs_dpor_event *last = &path->events[j];

	for (size_t k = i + 1; k < j; k++) {
		const struct rfs_dpor_event *event = &path->events[k];

		if (!rfs_dpor_path_before(path, i, k) &&
		    (event->thread == last->thread || dpor_path_depend(event, last)))
			return true;
	}
	return false;
}

/* The lock that the event gives up. 0: none. */
static rfs_addr dpor_path_gives_up(const struct rfs_dpor_event *event)
{
	return event->kind == RFS_OP_UNLOCK ? event->object : event->kind == RFS_OP_COND_WAIT ? event->object2 : 0;
}

/* The lock that the event must take. 0: none. */
static rfs_addr takes(const struct rfs_dpor_event *event)
{
	switch (event->kind) {
	case RFS_OP_LOCK:
	case RFS_OP_RDLOCK:
	case RFS_OP_WRLOCK:
		return event->timed_out ? 0 : event->object;
	case RFS_OP_COND_WAKE:
		return event->object2;
	default:
		return 0;
	}
}

/* How the thread has taken the lock that it holds before this event. NULL: it does not hold it, or that is not known.
 */
static const struct rfs_dpor_event *taken_by(const struct rfs_dpor_path *path, const struct rfs_dpor_event *event,
					     rfs_addr lock)
{
	const struct rfs_dpor_event *at = previous(path, event);

	for (; at; at = previous(path, at))
		if (takes(at) == lock || dpor_path_gives_up(at) == lock)
			break;
	return at && takes(at) == lock ? at : NULL;
}

bool rfs_dpor_path_enables(const struct rfs_dpor_path *path, size_t i, size_t j)
{
	const struct rfs_dpor_event *a = &path->events[i], *b = &path->events[j], *taken;

	if (b->kind == RFS_OP_START)
		return a->kind == RFS_OP_CREATE;
	if (b->kind == RFS_OP_JOIN && b->waits_for == a->thread)
		return true;
	if (!dpor_path_gives_up(a) || dpor_path_gives_up(a) != takes(b))
		return false;
	taken = taken_by(path, a, dpor_path_gives_up(a));
	return taken && (taken->kind != RFS_OP_RDLOCK || b->kind != RFS_OP_RDLOCK);
}
