/*
 * atomicity_split: a section that must be atomic is split in two critical sections: read under the lock, add, write
 * under the lock.
 *
 * Answer: failure, no race: both accesses hold the same mutex, yet an update between the two is lost; main aborts.
 * Plain runs: the first thread has ended before the second begins; almost never.
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
