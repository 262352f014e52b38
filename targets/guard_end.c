/*
 * guard_end: a thread writes behind the end of a block if another thread has made the block smaller meanwhile.
 *
 * Answer: nothing fails without --guard-heap. With --guard-heap: SIGSEGV at the write, "behind the end".
 * Plain runs: never fail.
 * Twin: the size is read in the section of the write.
 */
#include "target.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *text;
static size_t size = 64;

static void *put(void *arg)
{
	size_t at;

	(void)arg;
	pthread_mutex_lock(&lock);
	at = size - 1;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	text[at] = 'x';
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *shrink(void *arg)
{
	char *smaller = malloc(16);

	(void)arg;
	if (!smaller)
		fail("malloc");
	pthread_mutex_lock(&lock);
	free(text);
	text = smaller;
	size = 16;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	text = malloc(size);
	if (!text)
		fail("malloc");
	first = start(put, NULL);
	second = start_late(shrink, NULL, 2);
	join(first);
	join(second);
	free(text);
	return 0;
}
