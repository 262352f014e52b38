/*
 * pi_robust: three mutexes: one with priority inheritance, one robust, and one with both. A thread ends while it holds
 * the two robust ones. The next owner of each gets EOWNERDEAD and makes the mutex consistent.
 *
 * Answer: silent. Every access is under its mutex.
 */
#include "target.h"
#include <errno.h>

#define KINDS 3

struct counter {
	pthread_mutex_t lock;
	int value, deaths;
};

struct counter counters[KINDS]; /* PI, robust, robust with PI */

static void acquire(struct counter *counter)
{
	int error = pthread_mutex_lock(&counter->lock);

	if (error == EOWNERDEAD) {
		counter->deaths++;
		pthread_mutex_consistent(&counter->lock);
	} else if (error) {
		fail("pthread_mutex_lock");
	}
}

static void *count(void *arg)
{
	(void)arg;
	for (int i = 0; i < KINDS; i++) {
		acquire(&counters[i]);
		counters[i].value++; /* RACE: increment */
		pthread_mutex_unlock(&counters[i].lock);
	}
	return NULL;
}

/* Ends while it holds both robust mutexes. */
static void *die(void *arg)
{
	(void)arg;
	acquire(&counters[1]);
	acquire(&counters[2]);
	counters[1].value++;
	counters[2].value++;
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t attributes;
	pthread_t threads[3];

	for (int i = 0; i < KINDS; i++) {
		pthread_mutexattr_init(&attributes);
		if (i != 1)
			pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
		if (i != 0)
			pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
		if (pthread_mutex_init(&counters[i].lock, &attributes))
			fail("pthread_mutex_init");
		pthread_mutexattr_destroy(&attributes);
	}
	threads[0] = start(count, NULL);
	threads[1] = start(die, NULL);
	threads[2] = start(count, NULL);
	for (int i = 0; i < 3; i++)
		join(threads[i]);
	count(NULL);
	printf("%d %d %d, deaths %d %d\n", counters[0].value, counters[1].value, counters[2].value, counters[1].deaths,
	       counters[2].deaths);
	return 0;
}
