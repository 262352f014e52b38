/*
 * reads_back: a thread writes a counter and reads it back. The other thread writes in between.
 *
 * Answer: the pair write:back is harmful. The second thread must read the counter after the first one has written it,
 * so threads that are both parked at the write do not show it.
 * Plain runs: never fail.
 * Twin: all accesses are under a lock.
 */
#include "target.h"

static volatile int counter;
#ifdef FIXED
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#endif

static void *add(void *arg)
{
	int n;

#ifdef FIXED
	pthread_mutex_lock(&mutex);
#endif
	n = counter;	      /* RACE: load */
	counter = n + 1;      /* RACE: write */
	if (counter != n + 1) /* RACE: back */
		fail("another thread has written");
#ifdef FIXED
	pthread_mutex_unlock(&mutex);
#endif
	return arg;
}

int main(void)
{
	pthread_t first = start(add, NULL), second = start(add, NULL);

	join(first);
	join(second);
	puts("done");
	return 0;
}
