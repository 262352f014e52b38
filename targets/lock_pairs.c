/*
 * lock_pairs [THREADS [PAIRS]]: for measuring what a controlled lock/unlock pair costs. THREADS threads (default 2)
 * make PAIRS pairs each (default 100) on one mutex.
 *
 * Answer: silent.
 */
#include "target.h"

#define MOST_THREADS 64

long counter, pairs = 100;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *arg)
{
	long n = *(long *)arg;

	for (long i = 0; i < n; i++) {
		pthread_mutex_lock(&lock);
		counter++; /* RACE: increment */
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long threads = argc > 1 ? strtol(argv[1], NULL, 10) : 2;
	pthread_t thread[MOST_THREADS];

	if (argc > 2)
		pairs = strtol(argv[2], NULL, 10);
	if (threads < 1 || threads > MOST_THREADS)
		fail("1 to 64 threads");
	for (long i = 0; i < threads; i++)
		thread[i] = start(count, &pairs);
	for (long i = 0; i < threads; i++)
		join(thread[i]);
	printf("%ld\n", counter);
	return counter != threads * pairs;
}
