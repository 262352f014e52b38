/*
 * faults_late: a thread renews a lease each millisecond, which is valid for a second, and believes that the sleep was
 * short.
 *
 * Answer: nothing without --faults late. With it, the thread uses the lease after its end.
 * Plain runs: almost never, because a sleep of 1 ms hardly takes a second.
 * Twin: looks at the clock after the sleep.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#define NANOS 1000000000L
#define LEASE NANOS

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NANOS + t.tv_nsec;
}

static void *hold_lease(void *arg)
{
	const struct timespec pause = {0, 1000000};
	long end = now() + LEASE;

	for (int i = 0; i < 3; i++) {
		bool valid = true;

		nanosleep(&pause, NULL);
#ifdef FIXED
		valid = now() < end;
#endif
		if (valid)
			assert(now() < end + NANOS);
		end = now() + LEASE;
	}
	return arg;
}

int main(void)
{
	pthread_t holder;

	if (pthread_create(&holder, NULL, hold_lease, NULL) != 0)
		return 1;
	pthread_join(holder, NULL);
	puts("done");
	return 0;
}
