/* slices.c - turns of a suite. */
#include "supervisor/cli/suite/slices.h"

/* The part of the rest of the budget that first turns may use. */
#define FIRST_PART 0.6
/* A campaign of less time cannot do much more than measure. */
#define SHORTEST 1.0
/* A later turn has at least this many times the length of all turns before it, because a campaign has costs at its
 * beginning. */
#define GROWTH 2.0

/* Whether a has its turn before b. */
static bool is_before(const struct rfs_turn *a, const struct rfs_turn *b)
{
	if (!a->made != !b->made)
		return !a->made;
	if (!a->made)
		return a->first && !b->first;
	if (a->untried != b->untried)
		return a->untried > b->untried;
	/* runs per second: more schedules are tried in the same time */
	return (double)a->runs * b->seconds > (double)b->runs * a->seconds;
}

size_t rfs_turn_next(const struct rfs_turn *turns, size_t n)
{
	size_t next = n;

	for (size_t i = 0; i < n; i++)
		if (turns[i].open && turns[i].waits && (next == n || is_before(&turns[i], &turns[next])))
			next = i;
	return next;
}

double rfs_turn_seconds(const struct rfs_turn *turns, size_t n, size_t next, double left, unsigned jobs)
{
	const bool first = !turns[next].made;
	size_t others = 0;
	double share;

	for (size_t i = 0; i < n; i++)
		others += turns[i].open && !turns[i].made == first;
	share = left * (others < jobs ? (double)others : jobs) / (double)(others ? others : 1);
	if (first)
		share *= FIRST_PART;
	else if (share < GROWTH * turns[next].seconds)
		share = GROWTH * turns[next].seconds;
	if (share < SHORTEST)
		share = SHORTEST;
	if (share > left)
		share = left;
	return share < SHORTEST ? 0 : share;
}
