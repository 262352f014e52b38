/*
 * order_violation: one thread uses what another sets up, and nothing makes it wait for that.
 *
 * Answer: set with use is real and harmful: where the use goes first, it finds no name and aborts.
 * Plain runs: the first thread has ended before the second begins; almost never.
 * Twin: a semaphore holds the second thread until the name is set.
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
