/*
 * lost_update_inc: two threads do x++. At -O2 this is one `add` to memory without a lock prefix. Two cores still
 * interleave its read and its write, so a tool that runs one instruction at a time must split it as well.
 *
 * Answer: the pair of the statement with itself is real and harmful: if both read before one writes, main aborts.
 * Plain runs: almost never fail, because the first thread has ended before the second begins.
 * Twin: a mutex protects the statement.
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
