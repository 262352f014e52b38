/*
 * keeps_count.c - counts its failures, or its runs, in a file that the next run reads.
 *
 * "writes": a bug of the order of threads, after which the program writes the file as often as the count says.
 * "fifth": every fifth run fails. "fresh": writes the file anew in each run, and fails as "writes" does.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int stage;

static long count(int flags, int fd_writes)
{
	long n[40] = {0};
	int fd = open("count.tmp", O_RDWR | O_CREAT | flags, 0666);

	if (fd < 0 || read(fd, n, sizeof(n)) < 0)
		_exit(9);
	n[0]++;
	for (int i = 0; i < (fd_writes ? n[0] % 7 : 1); i++)
		if (lseek(fd, 0, SEEK_SET) < 0 || write(fd, n, sizeof(n)) < 0)
			_exit(9);
	close(fd);
	return n[0];
}

static void *first(void *how)
{
	pthread_mutex_lock(&mutex);
	stage = 1;
	pthread_mutex_unlock(&mutex);
	return how;
}

static void *second(void *how)
{
	pthread_mutex_lock(&mutex);
	if (stage == 0 && strcmp(how, "writes") == 0) {
		count(0, 1);
		abort();
	}
	if (stage == 0 && strcmp(how, "fresh") == 0) {
		count(O_TRUNC, 0);
		abort();
	}
	pthread_mutex_unlock(&mutex);
	return how;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	if (argc < 2)
		return 9;
	if (strcmp(argv[1], "fifth") == 0 && count(0, 0) % 5 == 0)
		abort();
	pthread_create(&threads[0], NULL, first, argv[1]);
	usleep(1000);
	pthread_create(&threads[1], NULL, second, argv[1]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
