/*
 * errorcheck_ok: two threads use an error-checking mutex and provoke its errors: EDEADLK for a second lock, EPERM for
 * an unlock without the lock, EBUSY for trylock.
 *
 * Answer: silent. Every error is returned, no thread blocks, and the second lock is not reported as a deadlock.
 */
#include "target.h"
#include <errno.h>

int counter;
pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void *count(void *arg)
{
	(void)arg;
	if (pthread_mutex_unlock(&lock) != EPERM)
		fail("unlocked what it does not hold");
	pthread_mutex_lock(&lock);
	if (pthread_mutex_lock(&lock) != EDEADLK)
		fail("locked twice");
	if (pthread_mutex_trylock(&lock) != EBUSY)
		fail("locked twice by trylock");
	counter++; /* RACE: increment */
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	first = start(count, NULL);
	second = start(count, NULL);
	join(first);
	join(second);
	printf("%d\n", counter);
	return counter != 2;
}
