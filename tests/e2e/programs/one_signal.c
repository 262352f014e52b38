/*
 * one_signal.c - two threads wait for a flag. When it is set, only one of them gets a signal. If both wait by then, the
 * other one waits forever.
 */
#include <pthread.h>
#include <stddef.h>

int ready;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *waiter(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t first, second;

	if (pthread_create(&first, NULL, waiter, NULL) || pthread_create(&second, NULL, waiter, NULL))
		return 2;
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return pthread_join(first, NULL) || pthread_join(second, NULL);
}
