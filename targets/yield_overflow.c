/*
 * yield_overflow: a producer calls sched_yield() after each item so that the consumer can take it. The ring has two
 * places. Nothing is racy: the ring has a mutex.
 *
 * Answer: the program fails (abort) if the yields return before the consumer has run.
 * Twin: the producer waits for a free place on a condition variable.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define ITEMS 5
#define PLACES 2

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *consume(void *arg)
{
	for (int taken = 0; taken < ITEMS;) {
		pthread_mutex_lock(&m);
		taken += n;
		n = 0;
		pthread_mutex_unlock(&m);
		sched_yield();
	}
	return arg;
}

int main(void)
{
	pthread_t consumer;

	pthread_create(&consumer, NULL, consume, NULL);
	for (int i = 0; i < ITEMS; i++) {
		pthread_mutex_lock(&m);
		if (n == PLACES)
			abort(); /* the consumer has not run */
		n++;
		pthread_mutex_unlock(&m);
		sched_yield();
	}
	pthread_join(consumer, NULL);
	return 0;
}
