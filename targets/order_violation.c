/*
 * order_violation: one thread uses what another thread sets up, but does not wait until it is set up.
 *
 * Answer: the pair set:use is real and harmful: if the use comes first, it finds no name and aborts.
 * Plain runs: almost never fail, because the first thread has ended before the second begins.
 * Twin: a semaphore makes the second thread wait until the name is set.
 */
#include "target.h"
#include <semaphore.h>

const char *name;
sem_t named;

static void *set_up(void *arg)
{
	(void)arg;
	name = "rfsup"; /* RACE: set */
#ifdef FIXED
	sem_post(&named);
#endif
	return NULL;
}

static void *greet(void *arg)
{
	(void)arg;
#ifdef FIXED
	sem_wait(&named);
#endif
	if (!name) /* RACE: use */
		fail("used before it was set");
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	sem_init(&named, 0, 0);
	first = start(set_up, NULL);
	second = start_late(greet, NULL, 10);
	join(first);
	join(second);
	puts(name);
	return 0;
}
