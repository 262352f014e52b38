/* window.c - a window of operations, from the seed. */
#include "supervisor/campaign/decisions/window.h"

/* If nobody knows how long a run is: it is thought to have this many times the operations that were seen. */
#define UNKNOWN_TIMES 4

/* A number below n, above 0. The multiplier is 2^64 divided by the golden ratio, so seeds in a row are far apart. */
static uint64_t window_draw(uint64_t seed, uint64_t n)
{
	return (seed * UINT64_C(0x9e3779b97f4a7c15) >> 32) % n;
}

struct rfs_run_window rfs_decide_window(uint64_t seed, uint64_t seen, uint64_t whole, bool last)
{
	const uint64_t length = seen / 2 ? seen / 2 : 1;
	const uint64_t end = whole > seen ? whole : UNKNOWN_TIMES * (seen + 1);
	uint64_t from = end > length ? end - length : 0;

	if (last && whole)
		/* runs differ in length, and this one may be longer */
		return (struct rfs_run_window){from, RFS_WINDOW_END};
	if (from > seen)
		from = seen + window_draw(seed, from - seen);
	return (struct rfs_run_window){from, from + length};
}
