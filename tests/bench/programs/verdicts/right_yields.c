/* Yields, sleeps and polls with a time of 0, between sections whose order does not matter. */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *adds(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		sum++;
		pthread_mutex_unlock(&lock);
		if (arg) {
			sched_yield();
			poll(NULL, 0, 0);
		} else {
			usleep(10);
		}
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, adds, i % 2 ? &lock : NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	if (sum != 9)
		abort();
	return 0;
}
