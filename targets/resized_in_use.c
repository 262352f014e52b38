/*
 * resized_in_use: one thread writes to a table while another one makes the table larger.
 *
 * Answer: the pair put:grow is real and harmful. realloc() copies the table to another place. If the writer has taken
 * the old address before, it writes to memory that is free, and what it wrote is lost.
 * Plain runs: almost never fail, because the writer has ended before the other thread begins.
 * Twin: the writer uses the address under the lock under which the table grows.
 */
#include "target.h"

#define SMALL 8
#define LARGE 20000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long *table;

static void *put(void *arg)
{
	volatile long *mine;

	(void)arg;
	pthread_mutex_lock(&lock);
	mine = table;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
#endif
	mine[1] = 42; /* RACE: put */
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return NULL;
}

static void *grow(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	table = realloc(table, LARGE * sizeof(*table)); /* RACE: grow */
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t first, second;
	long *other;

	table = calloc(SMALL, sizeof(*table));
	other = malloc(sizeof(*other)); /* behind the table, so that realloc() has to move it */
	first = start(put, NULL);
	second = start_late(grow, &lock, 2);
	join(first);
	join(second);
	if (!table || !other || table[1] != 42)
		fail("a value is lost");
	free(other);
	free(table);
	puts("done");
	return 0;
}
