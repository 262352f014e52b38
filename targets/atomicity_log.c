/*
 * atomicity_log: a writer makes sure in one section that the log has room, and appends in another. Another writer may
 * have filled the log between the two.
 *
 * Answer: failure, no race: an atomicity violation on the number of used bytes.
 * Plain and random runs: never fail, because one writer is done long before the other begins, and rotates the log.
 * Twin: one section.
 */
#include <string.h>

#include "late.h"
#include "target.h"

#define SIZE 16

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char buffer[SIZE];
static size_t used;

static void append(const char *line, size_t n)
{
	pthread_mutex_lock(&lock);
	if (used + n > SIZE)
		used = 0;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	if (used + n > SIZE)
		abort();
	memcpy(buffer + used, line, n);
	used += n;
	pthread_mutex_unlock(&lock);
}

static void *write_early(void *arg)
{
	(void)arg;
	append("0123456789", 10);
	return NULL;
}

static void *write_late(void *arg)
{
	(void)arg;
	come_late();
	append("abcdefghij", 10);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, write_early, NULL);
	pthread_create(&threads[1], NULL, write_late, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
