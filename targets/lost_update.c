/*
 * lost_update: two threads add 1 to a counter. Load, add and store are separate statements.
 *
 * Answer: the pairs load:store and store:store are real. The first is harmful: if both loads come before both stores,
 * one update is lost, and main aborts. (If both threads are before the store, the update is already lost.)
 * Plain runs: almost never fail, because the first thread has ended before the second begins.
 * Twin: one mutex protects all three statements.
 */
#include "target.h"

volatile long counter; /* volatile: otherwise a compiler makes one instruction of the three statements */
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
