/*
 * library_data: two threads call functions of the C library with data that only one thread may use at a time. The first
 * argument says which: the data of strtok or of localtime, the environment, a folder, or a stream that the other
 * closes.
 *
 * Answer: the pairs of strtok are real, and first:next is harmful: the second thread's string replaces the first one's,
 * so that one thread counts words of the other's string. With each other argument, one pair is found.
 * Plain runs: almost never fail, because the first thread has ended before the second begins.
 * Twin: one mutex protects all calls.
 */
#define _DEFAULT_SOURCE
#include "target.h"
#include <dirent.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

static const char *way = "tokens";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *stream;
static DIR *folder;
static atomic_bool closed;

static void tokens(void)
{
	char text[] = "to be or not";
	char *word;
	int n = 0;

	word = strtok(text, " "); /* RACE: first */
	while (word) {
		n++;
		word = strtok(NULL, " "); /* RACE: next */
	}
	if (n != 4)
		fail("words are lost");
}

static void date(time_t when)
{
	struct tm *parts;

	parts = when ? localtime(&when) : gmtime(&when);
	if (parts->tm_mday == 0)
		fail("no day");
}

static void close_stream(void)
{
	if (!closed)
		fclose(stream);
	closed = true;
}

/* The second thread only changes the environment or closes the stream. */
static void use(bool second)
{
	if (strcmp(way, "tokens") == 0)
		tokens();
	else if (strcmp(way, "date") == 0)
		date(second ? 1000000 : 0);
	else if (strcmp(way, "environment") == 0 && second)
		setenv("LIBRARY_DATA", "1", 1);
	else if (strcmp(way, "environment") == 0)
		(void)getenv("LIBRARY_DATA");
	else if (strcmp(way, "folder") == 0)
		(void)readdir(folder);
	else if (strcmp(way, "stream") == 0 && second)
		close_stream();
	else if (strcmp(way, "stream") == 0 && !closed)
		fputs("a line\n", stream);
}

static void *work(void *arg)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	use(arg);
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t first, second;

	if (argc > 1)
		way = argv[1];
	stream = fopen("/dev/null", "w");
	folder = opendir("/");
	if (!stream || !folder)
		fail("cannot open");
	first = start(work, NULL);
	second = start_late(work, &lock, 2);
	join(first);
	join(second);
	closedir(folder);
	close_stream();
	puts("done");
	return 0;
}
