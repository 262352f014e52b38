/*
 * deadlock_semaphores: two semaphores with one token each are used as locks, and two threads take them in opposite
 * orders.
 *
 * Answer: deadlock of two threads. No race.
 * Plain runs: the second thread starts late.
 * Twin: both take them in one order.
 */
#include <semaphore.h>

#include "target.h"

sem_t disk, net;
int copied, sent;

static void *copy(void *arg)
{
	sem_wait(&disk);
	sem_wait(&net); /* WAIT: holds disk */
	copied++;
	sem_post(&net);
	sem_post(&disk);
	return arg;
}

static void *send_all(void *arg)
{
#ifdef FIXED
	sem_wait(&disk);
	sem_wait(&net);
#else
	sem_wait(&net);
	sem_wait(&disk); /* WAIT: holds net */
#endif
	sent++;
	sem_post(&disk);
	sem_post(&net);
	return arg;
}

int main(void)
{
	pthread_t first, second;

	sem_init(&disk, 0, 1);
	sem_init(&net, 0, 1);
	first = start(copy, NULL);
	second = start_late(send_all, NULL, 2);
	join(first);
	join(second);
	return 0;
}
