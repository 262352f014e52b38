/*
 * faults_thread: a program starts two workers, does not look at the result, and waits until both have reported.
 *
 * Answer: nothing without --faults thread. With it, pthread_create() fails, and main waits for ever.
 * Plain runs: never, because there are few threads.
 * Twin: counts the workers that it could start.
 */
#include <pthread.h>
#include <stdio.h>

#define WORKERS 2

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t reported = PTHREAD_COND_INITIALIZER;
static int reports;

static void *work(void *arg)
{
	pthread_mutex_lock(&mutex);
	reports++;
	pthread_cond_signal(&reported);
	pthread_mutex_unlock(&mutex);
	return arg;
}

int main(void)
{
	int started = 0;
	pthread_t thread;

	for (int i = 0; i < WORKERS; i++) {
		int error = pthread_create(&thread, NULL, work, NULL);

		if (error == 0)
			pthread_detach(thread);
#ifdef FIXED
		if (error != 0)
			continue;
#endif
		started++;
	}
	pthread_mutex_lock(&mutex);
	while (reports < started)
		pthread_cond_wait(&reported, &mutex);
	pthread_mutex_unlock(&mutex);
	puts("done");
	return 0;
}
