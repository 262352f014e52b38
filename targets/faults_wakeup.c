/*
 * faults_wakeup: a consumer tests its condition with `if` instead of `while`, and takes from an empty queue.
 *
 * Answer: nothing without --faults wakeup. With it, the wait ends without a signal and the assertion fails.
 * Plain runs: never, because nothing else wakes the consumer.
 * Twin: waits in a loop; nothing in either case.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int queued;

static void *consume(void *arg)
{
	pthread_mutex_lock(&mutex);
#ifdef FIXED
	while (!queued)
#else
	if (!queued)
#endif
		pthread_cond_wait(&filled, &mutex);
	assert(queued > 0);
	queued--;
	pthread_mutex_unlock(&mutex);
	return arg;
}

int main(void)
{
	pthread_t consumer;

	if (pthread_create(&consumer, NULL, consume, NULL) != 0)
		return 1;
	pthread_mutex_lock(&mutex);
	queued++;
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&mutex);
	pthread_join(consumer, NULL);
	puts("done");
	return 0;
}
