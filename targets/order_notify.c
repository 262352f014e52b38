/*
 * order_notify: a thread waits for a notification without a look whether it has already come.
 *
 * Answer: deadlock, no race, no atomicity violation: if the notification comes first, it is lost.
 * Plain and random runs: never fail, because the thread waits long before the notification comes.
 * Twin: it looks in the same section.
 */
#include "late.h"
#include "target.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *wait_for_change(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
#ifdef FIXED
	if (!ready)
#endif
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *notify(void *arg)
{
	(void)arg;
	come_late();
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, wait_for_change, NULL);
	pthread_create(&threads[1], NULL, notify, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
