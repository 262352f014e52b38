/*
 * order_reinit: a service starts again: it destroys its locks, and initialises them again or assigns their initial
 * value. A worker may come before or after that.
 *
 * Answer: silent. The order is created, but the worker then uses a lock in its next life.
 */
#include "late.h"
#include "target.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&other);
	pthread_mutex_unlock(&other);
	return arg;
}

static void *start_again(void *arg)
{
	come_late();
	pthread_mutex_destroy(&lock);
	pthread_mutex_init(&lock, NULL);
	pthread_mutex_destroy(&other);
	other = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	return arg;
}

int main(void)
{
	pthread_t threads[2] = {start(work, NULL), start(start_again, NULL)};

	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
