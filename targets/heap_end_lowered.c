/*
 * heap_end_lowered: a program with its own allocator raises the end of its heap, and lowers it again when it has waited
 * long enough, although a thread may still use the memory.
 *
 * Answer: race, harmful: a read of memory, and brk(2) that gives it back.
 * Plain and random runs: never fail, because the thread is done long before.
 * Twin: the main thread waits for the thread.
 */
#include <unistd.h>

#include "target.h"

#define SIZE 16384

static int *table, sum;

static void *add_up(void *arg)
{
	sum = table[SIZE / sizeof(*table) - 1]; /* RACE: read */
	return arg;
}

int main(void)
{
	pthread_t thread;

	table = sbrk(SIZE);
	if (table == (void *)-1)
		return 2;
	table[SIZE / sizeof(*table) - 1] = 1;
	thread = start(add_up, NULL);
#ifdef FIXED
	pthread_join(thread, NULL);
#else
	apart(100);
#endif
	brk(table); /* RACE: lower */
#ifndef FIXED
	pthread_join(thread, NULL);
#endif
	return sum != 1;
}
