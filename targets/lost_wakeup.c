/*
 * lost_wakeup: the flag of a condition is set without the mutex. So the signal can come between the waiter's check of
 * the flag and its wait.
 *
 * Answer: the waiter waits for ever (reported as a deadlock of one thread). The pair check:set is real.
 * Plain runs: almost never fail, because the flag is set before the waiter begins.
 * Twin: sets the flag under the mutex.
 */
#include "target.h"

int ready;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *signaller(void *arg)
{
	(void)arg;
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	ready = 1; /* RACE: set */
	pthread_cond_signal(&changed);
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return NULL;
}

static void *waiter(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	while (!ready)				    /* RACE: check */
		pthread_cond_wait(&changed, &lock); /* WAIT: changed */
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	first = start(signaller, NULL);
	second = start_late(waiter, NULL, 10);
	join(first);
	join(second);
	puts("woken");
	return 0;
}
