/*
 * rwlock_mode: two threads change a counter while they hold a rwlock for reading.
 *
 * Answer: the pair of the statement with itself is real, because two readers may hold the lock at once. It is harmful:
 * if an update is lost, main aborts.
 * Plain runs: almost never fail, because the first thread has ended before the second begins.
 * Twin: takes the lock for writing.
 */
#include "target.h"

int counter;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *count(void *arg)
{
	(void)arg;
#ifdef FIXED
	pthread_rwlock_wrlock(&lock);
#else
	pthread_rwlock_rdlock(&lock);
#endif
	counter++; /* RACE: increment */
	pthread_rwlock_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	first = start(count, NULL);
	second = start_late(count, NULL, 2);
	join(first);
	join(second);
	if (counter != 2)
		fail("lost update");
	puts("2");
	return 0;
}
