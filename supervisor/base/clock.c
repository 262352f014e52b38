/* clock.c - clock_gettime(2) in seconds. */
#include "supervisor/base/clock.h"

#include <time.h>

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double rfs_clock(void)
{
	return seconds(CLOCK_MONOTONIC);
}

double rfs_clock_cpu(void)
{
	return seconds(CLOCK_PROCESS_CPUTIME_ID);
}
