/*
 * atomicity_close: two threads close the same file if it is open. Each looks in one section and closes in another, so
 * both may close it.
 *
 * Answer: failure, no race: an atomicity violation R-w-W on the file.
 * Plain and random runs: never fail, because one thread has closed the file long before the other looks.
 * Twin: one section.
 */
#include <fcntl.h>
#include <unistd.h>

#include "late.h"
#include "target.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file;

static void close_file(void)
{
	int open_file;

	pthread_mutex_lock(&lock);
	open_file = file;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	if (open_file >= 0) {
		if (close(open_file) != 0)
			abort();
		file = -1;
	}
	pthread_mutex_unlock(&lock);
}

static void *close_early(void *arg)
{
	(void)arg;
	close_file();
	return NULL;
}

static void *close_late(void *arg)
{
	(void)arg;
	come_late();
	close_file();
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	file = open("/dev/null", O_RDONLY);
	pthread_create(&threads[0], NULL, close_early, NULL);
	pthread_create(&threads[1], NULL, close_late, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
