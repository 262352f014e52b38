/*
 * sem_ordered: data is handed over by a semaphore.
 *
 * Answer: silent. The post orders the write before the read, so nothing is predicted.
 */
#include "target.h"
#include <semaphore.h>

int data;
sem_t full;

static void *writer(void *arg)
{
	(void)arg;
	data = 42; /* RACE: write */
	sem_post(&full);
	return NULL;
}

static void *reader(void *arg)
{
	(void)arg;
	sem_wait(&full);
	if (data != 42) /* RACE: read */
		fail("read too early");
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	sem_init(&full, 0, 0);
	first = start(reader, NULL);
	second = start(writer, NULL);
	join(first);
	join(second);
	puts("42");
	return 0;
}
