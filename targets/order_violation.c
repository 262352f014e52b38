/*
 * order_violation: a thread uses what main sets up only after it has made the thread.
 *
 * Answer: set with use is real and harmful: where the thread goes first, it finds no name and aborts.
 * Plain runs: main is through with it before the new thread runs at all; almost never.
 * Twin: a semaphore holds the thread until the name is set.
 */
#include "target.h"
#include <semaphore.h>

const char *name;
sem_t named;

static void *greet(void *arg)
{
	(void)arg;
#ifdef FIXED
	sem_wait(&named);
#else
	apart(3);
#endif
	if (!name) /* RACE: use */
		fail("used before it was set");
	return NULL;
}

int main(void)
{
	pthread_t thread;

	sem_init(&named, 0, 0);
	thread = start(greet, NULL);
	name = "rfsup"; /* RACE: set */
#ifdef FIXED
	sem_post(&named);
#endif
	join(thread);
	puts(name);
	return 0;
}
