/*
 * atomicity_split: an update that must be atomic is split into two critical sections. One reads, the other writes.
 *
 * Answer: failure, no race. Both accesses hold the same mutex, but an update between the sections is lost, and main
 * aborts.
 * Plain runs: almost never fail, because the first thread has ended before the second begins.
 * Twin: one critical section.
 */
#include "target.h"

int counter;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *arg)
{
	int value;

	(void)arg;
	pthread_mutex_lock(&lock);
	value = counter;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	counter = value + 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	first = start(add, NULL);
	second = start_late(add, NULL, 2);
	join(first);
	join(second);
	if (counter != 2)
		fail("lost update");
	puts("2");
	return 0;
}
