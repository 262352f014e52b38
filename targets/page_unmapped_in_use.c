/*
 * page_unmapped_in_use: a thread adds up a table that is mapped into memory. The main thread unmaps the table when it
 * has waited long enough, and not when the thread is done.
 *
 * Answer: race, harmful: a read of memory, and munmap(2) of it.
 * Plain and random runs: never fail, because the thread is done long before.
 * Twin: the main thread waits for the thread.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "target.h"

static int *table, sum;

static void *add_up(void *arg)
{
	sum = table[1]; /* RACE: read */
	return arg;
}

int main(void)
{
	pthread_t thread;

	table = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	table[1] = 1;
	thread = start(add_up, NULL);
#ifdef FIXED
	pthread_join(thread, NULL);
#else
	apart(100);
#endif
	munmap(table, 4096); /* RACE: unmap */
#ifndef FIXED
	pthread_join(thread, NULL);
#endif
	return sum != 1;
}
