/*
 * pipeline: a stage fills one of three buffers and queues it for the next stage, which adds it up. The first stage
 * takes its buffers in turn and does not wait until the next stage is done with one.
 *
 * Answer: fill with add is real and harmful: a buffer that is filled again too early spoils the sum, and main aborts.
 * (The queue itself is right: mutex and condition variable.)
 * Plain runs: a buffer takes long to prepare, and the second stage is ready by then; almost never.
 * Twin: a semaphore counts the free buffers.
 */
#include "target.h"
#include <semaphore.h>

#define BUFFERS 3
#define ROUNDS 4

int buffers[BUFFERS];
int *queue[ROUNDS];
int queued, taken;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
sem_t free_buffers;

static void put(int *buffer)
{
	pthread_mutex_lock(&lock);
	queue[queued++] = buffer;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&lock);
}

static int *take(void)
{
	int *buffer;

	pthread_mutex_lock(&lock);
	while (taken == queued)
		pthread_cond_wait(&not_empty, &lock);
	buffer = queue[taken++];
	pthread_mutex_unlock(&lock);
	return buffer;
}

static void *prepare(void *arg)
{
	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		int *buffer = &buffers[i % BUFFERS];

#ifdef FIXED
		sem_wait(&free_buffers);
#endif
		*buffer = i + 1; /* RACE: fill */
		put(buffer);
		apart(1);
	}
	return NULL;
}

static void *add_up(void *arg)
{
	long sum = 0;

	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		int *buffer = take();

		sum += *buffer; /* RACE: add */
#ifdef FIXED
		sem_post(&free_buffers);
#endif
	}
	return (void *)sum;
}

int main(void)
{
	pthread_t first, second;
	long sum;

	sem_init(&free_buffers, 0, BUFFERS);
	second = start(add_up, NULL);
	apart(1);
	first = start(prepare, NULL);
	join(first);
	sum = (long)join(second);
	if (sum != ROUNDS * (ROUNDS + 1) / 2)
		fail("a buffer was filled again too early");
	printf("sum %ld\n", sum);
	return 0;
}
