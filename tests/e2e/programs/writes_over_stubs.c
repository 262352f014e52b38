/*
 * Writes over memory that rfsup has mapped: fills what follows the first inaccessible page in a shared mapping with the
 * byte argv[1], with stores, or with a system call if there is argv[2]. Without rfsup, there is no such mapping. Two
 * threads then write to a variable without a lock.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile int shared, other;

static void *writes(void *arg)
{
	for (int i = 0; i < 1000; i++)
		other += i & (arg != NULL); /* RACE */
	shared = 1;			    /* RACE */
	return arg;
}

/* Lets the kernel write what a file has. */
static void read_into(char *first, size_t n, int byte)
{
	int fd = memfd_create("bytes", 0);
	char page[4096];

	memset(page, byte, sizeof(page));
	for (size_t i = 0; i < n; i += sizeof(page))
		if (pwrite(fd, page, sizeof(page), 0) != sizeof(page) || pread(fd, first + i, sizeof(page), 0) < 0)
			_exit(3);
	close(fd);
}

static void fill(int byte, int reads)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long first = 0, last = 0;
	char line[512], rights[8];
	int guard = 0, found = 0;

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "/memfd:") || sscanf(line, "%lx-%lx %7s", &first, &last, rights) != 3)
			continue;
		if (guard && rights[1] == 'w')
			found = 1;
		guard |= rights[0] == '-';
	}
	if (maps)
		fclose(maps);
	if (found && reads)
		read_into((char *)first, last - first, byte);
	else if (found)
		memset((void *)first, byte, last - first);
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	if (argc > 1)
		fill(atoi(argv[1]), argc > 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, writes, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
