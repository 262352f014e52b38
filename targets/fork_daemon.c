/* A daemon: it forks, the parent ends, and the child starts a pool of threads. Two workers take the same job. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef FIXED
#define FIXED 0
#endif
#define JOBS 3
static int done[JOBS], next;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
	for (;;) {
		int job;

		if (FIXED)
			pthread_mutex_lock(&lock);
		job = next;
		if (job < JOBS)
			next = job + 1;
		if (FIXED)
			pthread_mutex_unlock(&lock);
		if (job >= JOBS)
			return unused;
		pthread_mutex_lock(&lock);
		if (done[job]++)
			abort();
		pthread_mutex_unlock(&lock);
	}
}

int main(void)
{
	pthread_t pool[2];

	if (daemon(1, 1))
		return 2;
	for (int i = 0; i < 2; i++)
		pthread_create(&pool[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(pool[i], NULL);
	return 0;
}
