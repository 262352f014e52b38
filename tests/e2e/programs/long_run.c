/* long_run.c - eight threads that take a lock 5,500 times each, which is 88,000 operations, and then race. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long total;
static int ready;

static void *worker(void *arg)
{
	for (int i = 0; i < 5500; i++) {
		pthread_mutex_lock(&m);
		total += i;
		pthread_mutex_unlock(&m);
	}
	ready = ready + 1;
	return arg;
}

int main(void)
{
	pthread_t threads[8];

	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	assert(ready == 8);
	return 0;
}
