/*
 * lost_update: two threads add 1 to a counter by load, add and store, in statements of their own.
 *
 * Answer: load with store, and store with itself, are real. Harmful: both loads before both stores lose one update,
 * and main aborts. (With both threads before the store, the update is lost already whoever goes first.)
 * Plain runs: the first thread has ended before the second begins; almost never.
 * Twin: both statements under one mutex.
 */
#include "target.h"

volatile long counter; /* or an optimiser makes one instruction of the three statements */
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *arg)
{
	long value;

	(void)arg;
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	value = counter; /* RACE: load */
	value = value + 1;
	counter = value; /* RACE: store */
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
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
