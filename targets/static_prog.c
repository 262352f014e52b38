/*
 * static_prog: linked with -static. There is no loader, and the C library's functions are part of the program.
 *
 * Answer: the pair of the statement with itself is real and harmful: if an update is lost, main aborts. The same holds
 * if the program is stripped, although then only the futex layer sees its locks.
 * Plain runs: almost never fail, because the first thread has ended before the second begins.
 * Twin: a mutex protects the statement.
 */
#include "target.h"

int hits;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *hit(void *arg)
{
	(void)arg;
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	hits++; /* RACE: increment */
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	first = start(hit, NULL);
	second = start_late(hit, NULL, 2);
	join(first);
	join(second);
	if (hits != 2)
		fail("lost update");
	puts("2");
	return 0;
}
