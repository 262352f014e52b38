/*
 * blocks [locked]: three threads allocate blocks of one size from one arena, in an order that depends on the schedule.
 * So a block has another address in another run. Each thread writes to all elements of its own last block and then to
 * the last element of its neighbour's last block. Only the last elements are written by two threads, without a lock, or
 * with one if the argument says so. Prints the address of each last block.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 3
#define ROUNDS 4
#define ELEMENTS 300 /* more than the thread caches of malloc keep */

static long *blocks[THREADS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static int locked;

static void *work(void *arg)
{
	const long self = (long)arg;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		blocks[self] = malloc(ELEMENTS * sizeof(long));
		pthread_mutex_unlock(&mutex);
	}
	pthread_barrier_wait(&barrier);
	if (locked)
		pthread_mutex_lock(&mutex);
	for (long i = 0; i < ELEMENTS; i++)
		blocks[self][i] = i;
	blocks[(self + 1) % THREADS][ELEMENTS - 1] = self;
	if (locked)
		pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	locked = argc > 1 && strcmp(argv[1], "locked") == 0;
	mallopt(M_ARENA_MAX, 1);
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i))
			abort();
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < THREADS; i++)
		printf("%p\n", (void *)blocks[i]);
	return 0;
}
