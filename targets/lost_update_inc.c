/*
 * lost_update_inc: two threads do x++. At -O2 that is one `add` to memory without a lock prefix, which hardware with
 * two cores still splits: a tool that runs one instruction at a time must split it too.
 *
 * Answer: the statement with itself is real and harmful: where both read before one writes, main aborts.
 * Plain runs: the first thread has ended before the second begins; almost never.
 * Twin: the statement under a mutex.
 */
#include "target.h"

int x;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *increment(void *arg)
{
	(void)arg;
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	x++; /* RACE: increment */
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	first = start(increment, NULL);
	second = start_late(increment, NULL, 2);
	join(first);
	join(second);
	if (x != 2)
		fail("lost update");
	puts("2");
	return 0;
}
