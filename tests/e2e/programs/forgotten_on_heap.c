/*
 * forgotten_on_heap.c - two threads wait in two functions for one condition variable in the heap, or with -DSTACK on
 * the stack of main(), and a signal wakes only one of them.
 */
#include <pthread.h>
#include <stdlib.h>

struct gate {
	pthread_mutex_t lock;
	pthread_cond_t opened;
	int open_now;
};

static void *guest(void *arg)
{
	struct gate *gate = arg;

	pthread_mutex_lock(&gate->lock);
	while (!gate->open_now)
		pthread_cond_wait(&gate->opened, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
	return NULL;
}

static void *host(void *arg)
{
	struct gate *gate = arg;

	pthread_mutex_lock(&gate->lock);
	while (!gate->open_now)
		pthread_cond_wait(&gate->opened, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
	return NULL;
}

int main(void)
{
#ifdef STACK
	struct gate place, *gate = &place;
#else
	struct gate *gate = malloc(sizeof(*gate));
#endif
	pthread_t threads[2];

	pthread_mutex_init(&gate->lock, NULL);
	pthread_cond_init(&gate->opened, NULL);
	gate->open_now = 0;
	pthread_create(&threads[0], NULL, guest, gate);
	pthread_create(&threads[1], NULL, host, gate);
	pthread_mutex_lock(&gate->lock);
	gate->open_now = 1;
	pthread_cond_signal(&gate->opened);
	pthread_mutex_unlock(&gate->lock);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
