/*
 * Two processes, each with two threads that count in a variable of their process. In the second process, the threads
 * are concurrent: an update is lost, and the parent notices. In the fixed twin, a mutex of each process protects the
 * count.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef FIXED
#define FIXED 0
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hits;

static void *count(void *unused)
{
	(void)unused;
	if (FIXED)
		pthread_mutex_lock(&lock);
	hits = hits + 1; /* RACE: hits */
	if (FIXED)
		pthread_mutex_unlock(&lock);
	return NULL;
}

static int work(int number)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, count, NULL) || (number == 0 && pthread_join(threads[i], NULL)))
			return 2;
	for (int i = 0; number && i < 2; i++)
		pthread_join(threads[i], NULL);
	return hits == 2 ? 0 : 1;
}

int main(void)
{
	int status, failed = 0;

	for (int i = 0; i < 2; i++)
		if (!fork())
			_exit(work(i));
	while (wait(&status) > 0)
		failed |= status != 0;
	if (failed)
		abort();
	return 0;
}
