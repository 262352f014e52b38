/*
 * lost_updates: two threads add 1 to a counter fifty times each. The program fails if a single update is lost.
 *
 * Answer: the increments race, and this is harmful. Nearly each run that creates the race loses many updates and fails,
 * so another order of one of its races does not help. But if the first race is the only one, its order decides.
 * Plain runs: almost never fail, because the first thread has ended before the second begins.
 * Twin: one mutex protects the increment.
 */
#include "target.h"

#define TIMES 50

int counter;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *arg)
{
	(void)arg;
	for (int i = 0; i < TIMES; i++) {
#ifdef FIXED
		pthread_mutex_lock(&lock);
#endif
		(*(volatile int *)&counter)++; /* RACE: increment */
#ifdef FIXED
		pthread_mutex_unlock(&lock);
#endif
	}
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	first = start(add, NULL);
	second = start_late(add, NULL, 2);
	join(first);
	join(second);
	if (counter != 2 * TIMES)
		fail("lost update");
	puts("100");
	return 0;
}
