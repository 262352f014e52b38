/* Blocks of the same size are freed and allocated again, atomic in one use and plain under a lock in the next. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *adds_atomic(void *arg)
{
	atomic_fetch_add((atomic_long *)arg, 1);
	return NULL;
}

static void *adds_locked(void *arg)
{
	pthread_mutex_lock(&lock);
	*(long *)arg += 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static long run(void *(*body)(void *))
{
	long *block = calloc(1, 64), result;
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, body, block);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	result = *block;
	free(block);
	return result;
}

int main(void)
{
	for (int i = 0; i < 2; i++)
		if (run(adds_atomic) != 2 || run(adds_locked) != 2)
			abort();
	return 0;
}
