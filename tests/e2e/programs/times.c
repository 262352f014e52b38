/*
 * Two threads print what clocks and the time stamp counter say. Each sleeps for a tenth of a second. At the end, the
 * clock must have advanced by at least that much.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <x86intrin.h>

#define ROUNDS 3
#define NAP 100000000 /* nanoseconds */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *look(void *name)
{
	struct timespec real, up;
	struct timeval tv;

	for (int i = 0; i < ROUNDS; i++) {
		clock_gettime(CLOCK_REALTIME, &real);
		clock_gettime(CLOCK_MONOTONIC, &up);
		gettimeofday(&tv, NULL);
		pthread_mutex_lock(&lock);
		printf("%lld.%09ld %s %lld.%09ld %ld %llu\n", (long long)real.tv_sec, real.tv_nsec, (const char *)name,
		       (long long)up.tv_sec, up.tv_nsec, (long)tv.tv_usec, (unsigned long long)__rdtsc());
		pthread_mutex_unlock(&lock);
	}
	nanosleep(&(struct timespec){0, NAP}, NULL);
	return NULL;
}

int main(void)
{
	struct timespec before, after;
	pthread_t threads[2];
	static char names[2][2] = {"a", "b"};

	clock_gettime(CLOCK_MONOTONIC, &before);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, look, names[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	clock_gettime(CLOCK_MONOTONIC, &after);
	/* with any kind of clock, at least the sleep must have passed */
	return (after.tv_sec - before.tv_sec) * 1000000000ll + after.tv_nsec - before.tv_nsec < NAP;
}
