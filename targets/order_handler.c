/*
 * order_handler: a thread installs a handler, and another thread calls it for the first event. Both hold the lock, but
 * the second one does not wait until the handler is there.
 *
 * Answer: failure, no race, no atomicity violation: the handler is called before it was installed.
 * Plain and random runs: never fail, because the handler is installed long before the event comes.
 * Twin: an event that comes first is dropped.
 */
#include "late.h"
#include "target.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void (*handler)(long event);
static long handled;

static void count(long event)
{
	handled += event;
}

static void *install(void *arg)
{
	(void)arg;
	pthread_rwlock_wrlock(&lock);
	handler = count;
	pthread_rwlock_unlock(&lock);
	return NULL;
}

static void *deliver(void *arg)
{
	(void)arg;
	come_late();
	pthread_rwlock_wrlock(&lock);
#ifdef FIXED
	if (handler)
#endif
		handler(1);
	pthread_rwlock_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, install, NULL);
	pthread_create(&threads[1], NULL, deliver, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
