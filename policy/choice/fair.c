/*
 * fair.c - keeps sets of threads, a bit for each. A thread with a number above 63 is never held back. loops.c decides
 * which yields count.
 */
#include "policy/choice/fair.h"

void rfs_fair_enabled(struct rfs_fair *fair, uint64_t enabled)
{
	const uint64_t before = fair->enabled;

	fair->enabled = enabled;
	for (int t = 0; t < RFS_FAIR_THREADS; t++)
		fair->able[t] &= enabled;
	if (fair->last && fair->last <= RFS_FAIR_THREADS)
		fair->disabled[fair->last - 1] |= before & ~enabled;
}

void rfs_fair_ran(struct rfs_fair *fair, int thread, bool yields, bool waits)
{
	const uint64_t bit = thread < RFS_FAIR_THREADS ? UINT64_C(1) << thread : 0;

	fair->last = thread + 1;
	for (int t = 0; t < RFS_FAIR_THREADS; t++) {
		fair->behind[t] &= ~bit;
		fair->ran[t] |= bit;
	}
	if (!yields || !bit)
		return;
	/* the first yield has no earlier one, so it holds nobody back */
	if (waits && (fair->yielded & bit))
		fair->behind[thread] |= (fair->able[thread] | fair->disabled[thread]) & ~fair->ran[thread];
	fair->yielded |= bit;
	fair->able[thread] = fair->enabled;
	fair->disabled[thread] = 0;
	fair->ran[thread] = bit;
}

bool rfs_fair_waits(const struct rfs_fair *fair, int thread)
{
	return thread < RFS_FAIR_THREADS && (fair->behind[thread] & fair->enabled);
}
