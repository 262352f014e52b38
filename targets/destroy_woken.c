/*
 * destroy_woken.c - a condition variable on the heap is destroyed and freed when its two waiters are woken but have not
 * returned yet. POSIX allows that: no thread is blocked on it. The thread that destroys it holds the mutex.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER, *go;
static int waiting, open_now;

static void *waiter(void *arg)
{
	pthread_mutex_lock(&lock);
	waiting++;
	pthread_cond_signal(&arrived);
	while (!open_now)
		pthread_cond_wait(go, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	go = malloc(sizeof(*go));
	pthread_cond_init(go, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, waiter, NULL);
	pthread_mutex_lock(&lock);
	while (waiting < 2)
		pthread_cond_wait(&arrived, &lock);
	open_now = 1;
	pthread_cond_broadcast(go);
	pthread_cond_destroy(go);
	free(go);
	go = NULL;
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
