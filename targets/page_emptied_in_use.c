/*
 * page_emptied_in_use: a cache gives the memory of old entries back with madvise(2), which empties it, while a thread
 * still reads an entry.
 *
 * Answer: race, harmful: a read of memory, and madvise(2) of it.
 * Plain and random runs: never fail, because the thread is done long before.
 * Twin: the main thread waits for the thread.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "target.h"

static int *entries, found;

static void *look_up(void *arg)
{
	found = entries[1]; /* RACE: read */
	return arg;
}

int main(void)
{
	pthread_t thread;

	entries = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	entries[1] = 1;
	thread = start(look_up, NULL);
#ifdef FIXED
	pthread_join(thread, NULL);
#else
	apart(100);
#endif
	madvise(entries, 4096, MADV_DONTNEED); /* RACE: empty */
#ifndef FIXED
	pthread_join(thread, NULL);
#endif
	return found != 1;
}
