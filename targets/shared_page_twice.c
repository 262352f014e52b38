/*
 * shared_page_twice: a page of shared memory is mapped twice, as in a ring buffer. One thread writes through the first
 * address, another one reads through the second address.
 *
 * Answer: race, harmful: the value may be read before it is written.
 * Plain and random runs: the thread that writes is far ahead.
 * Twin: both threads hold a mutex, and the reader waits for the value.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "target.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t written = PTHREAD_COND_INITIALIZER;
static int *front, *back, seen;

static void *writes(void *arg)
{
	pthread_mutex_lock(&mutex);
	*front = 1; /* RACE: write */
	pthread_cond_signal(&written);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *reads(void *arg)
{
#ifdef FIXED
	pthread_mutex_lock(&mutex);
	while (*back == 0)
		pthread_cond_wait(&written, &mutex);
	seen = *back;
	pthread_mutex_unlock(&mutex);
#else
	apart(100);
	seen = *back; /* RACE: read */
#endif
	return arg;
}

int main(void)
{
	const int file = memfd_create("ring", 0);
	pthread_t threads[2];

	if (file < 0 || ftruncate(file, 4096) != 0)
		return 2;
	front = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	back = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	threads[0] = start(writes, NULL);
	threads[1] = start(reads, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return seen != 1;
}
