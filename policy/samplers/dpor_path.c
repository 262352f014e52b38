#include "policy/samplers/dpor_path.h"

#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"

static uint32_t time_of(const struct rfs_dpor_event *event, int thread)
{
	return (size_t)thread < event->n_clock ? event->clock[thread] : 0;
}

static bool depend(const struct rfs_dpor_event *a, const struct rfs_dpor_event *b)
{
	return a->on_all || b->on_all || rfs_touches_conflict(a->touches, a->n_touches, b->touches, b->n_touches);
}

static const struct rfs_dpor_event *previous(const struct rfs_dpor_path *path, const struct rfs_dpor_event *event)
{
	return event->before ? &path->events[event->before - 1] : NULL;
}

struct rfs_dpor_event *rfs_dpor_path_add(struct rfs_dpor_path *path, int thread, const struct rfs_op *op, bool on_all)
{
	struct rfs_dpor_event *event;
	size_t before = path->n;

	path->events = rfs_policy_grow(path->events, &path->capacity, path->n + 1, sizeof(*path->events));
	event = &path->events[path->n++];
	*event = (struct rfs_dpor_event){.thread = thread, .on_all = on_all};
	event->n_touches = rfs_touches(thread, op, event->touches);
	while (before && path->events[before - 1].thread != thread)
		before--;
	event->never_waits = op->kind == RFS_OP_ACCESS && !on_all;
	event->before = before;
	event->number = before ? path->events[before - 1].number + 1 : 1;
	return event;
}

static void join(uint32_t *clock, const struct rfs_dpor_event *event)
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
		join(clock, before);
	for (size_t i = j; i-- > 0;) {
		const struct rfs_dpor_event *other = &path->events[i];

		if (other->thread != event->thread && other->number > clock[other->thread] && depend(other, event))
			join(clock, other);
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
	free(path->scratch);
	*path = (struct rfs_dpor_path){0};
}

bool rfs_dpor_path_before(const struct rfs_dpor_path *path, size_t i, size_t j)
{
	return time_of(&path->events[j], path->events[i].thread) >= path->events[i].number;
}

bool rfs_dpor_path_races(const struct rfs_dpor_path *path, size_t i, size_t j)
{
	const struct rfs_dpor_event *a = &path->events[i], *b = &path->events[j], *before;

	if (a->thread == b->thread || !depend(a, b))
		return false;
	before = previous(path, &path->events[j]);
	return !before || time_of(before, a->thread) < a->number;
}

bool rfs_dpor_path_needs(const struct rfs_dpor_path *path, size_t i, size_t j)
{
	const struct rfs_dpor_event *last = &path->events[j];

	for (size_t k = i + 1; k < j; k++) {
		const struct rfs_dpor_event *event = &path->events[k];

		if (!rfs_dpor_path_before(path, i, k) && (event->thread == last->thread || depend(event, last)))
			return true;
	}
	return false;
}

bool rfs_dpor_path_initials(struct rfs_dpor_path *path, size_t i, size_t j, bool (*f)(void *arg, int thread), void *arg)
{
	const struct rfs_dpor_event *last = &path->events[j];
	size_t n = last->n_clock > (size_t)last->thread ? last->n_clock : (size_t)last->thread + 1;

	path->scratch = rfs_policy_grow(path->scratch, &path->scratch_capacity, n, sizeof(*path->scratch));
	memset(path->scratch, 0, n * sizeof(*path->scratch));
	/* scratch: by thread, the number of its first event that does not happen after i; 0: none yet */
	for (size_t k = i + 1; k < j; k++) {
		const struct rfs_dpor_event *event = &path->events[k];
		bool first = true;

		if (rfs_dpor_path_before(path, i, k))
			continue;
		if (path->scratch[event->thread])
			continue;
		for (size_t t = 0; t < event->n_clock && first; t++)
			first = !path->scratch[t] || event->clock[t] < path->scratch[t];
		path->scratch[event->thread] = event->number;
		if (first && f(arg, event->thread))
			return true;
	}
	return !rfs_dpor_path_needs(path, i, j) && f(arg, last->thread);
}
