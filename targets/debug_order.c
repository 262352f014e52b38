/*
 * debug_order: two threads count their calls for debugging, without a lock. Then the first one sets a value under a
 * lock, and the second one fails if the value is not set yet. So the program fails if the second thread is faster.
 *
 * Answer: the counters race, but this is not harmful. Which thread counts first says which one is likely to be faster,
 * but the count has no effect. The failure is a finding beside it.
 * Plain runs: almost never fail, because the first thread has ended before the second begins.
 * Twin: the counter is atomic, and the second thread waits for the value.
 */
#include "target.h"

int calls;
int value;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t is_set = PTHREAD_COND_INITIALIZER;

static void count(void)
{
#ifdef FIXED
	__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED); /* RACE: count */
#else
	(*(volatile int *)&calls)++; /* RACE: count */
#endif
}

static void *sets(void *arg)
{
	count();
	pthread_mutex_lock(&lock);
	value = 1;
	pthread_cond_signal(&is_set);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *uses(void *arg)
{
	count();
	pthread_mutex_lock(&lock);
#ifdef FIXED
	while (!value)
		pthread_cond_wait(&is_set, &lock);
#endif
	if (!value)
		fail("the value is not set");
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t first, second;

	first = start(sets, NULL);
	second = start_late(uses, NULL, 2);
	join(first);
	join(second);
	puts("set");
	return 0;
}
