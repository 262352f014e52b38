/*
 * Two threads wait until half a second has passed. Each reads the clock in a loop and yields, like the idle threads of
 * a runtime system. The program ends with status 1 if the time of one of them is not over then.
 */
#include <pthread.h>
#include <sched.h>
#include <time.h>

#define WAIT 500000000ll /* nanoseconds */

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

static void *wait_for_time(void *arg)
{
	const long long until = now() + WAIT;

	while (now() < until)
		sched_yield();
	return arg;
}

int main(void)
{
	const long long begin = now();
	pthread_t thread;

	pthread_create(&thread, NULL, wait_for_time, NULL);
	wait_for_time(NULL);
	pthread_join(thread, NULL);
	return now() - begin < WAIT;
}
