/*
 * page_moved_in_use: a table is mapped into memory. It grows with mremap(2), which may move it, while a thread reads
 * it.
 *
 * Answer: race, harmful: a read of memory, and mremap(2) of it.
 * Plain and random runs: never fail, because the thread is done long before.
 * Twin: the main thread waits for the thread before the table grows.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "target.h"

#define SIZE 4096

static int *table, sum;

static void *add_up(void *arg)
{
	sum = table[1]; /* RACE: read */
	return arg;
}

int main(void)
{
	pthread_t thread;
	char *room = mmap(NULL, 2 * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int *moved;

	/* the page behind the table is in use, so the table must move */
	table = mmap(room, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	table[1] = 1;
	thread = start(add_up, NULL);
#ifdef FIXED
	pthread_join(thread, NULL);
#else
	apart(100);
#endif
	moved = mremap(table, SIZE, 4 * SIZE, MREMAP_MAYMOVE); /* RACE: move */
#ifndef FIXED
	pthread_join(thread, NULL);
#endif
	table = moved;
	return sum != 1;
}
