/*
 * faults_mmap: a thread maps a buffer and compares the result with NULL instead of MAP_FAILED.
 *
 * Answer: nothing without --faults mmap. With it, the thread writes to address -1.
 * Plain runs: never, because there is enough memory.
 * Twin: compares with MAP_FAILED and works without a buffer.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#ifdef FIXED
#define NO_BUFFER MAP_FAILED
#else
#define NO_BUFFER NULL
#endif
#define SIZE 65536

static void *fill(void *arg)
{
	char *buffer = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (buffer == NO_BUFFER)
		return arg;
	memset(buffer, 'x', SIZE);
	munmap(buffer, SIZE);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, fill, NULL) != 0)
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	puts("done");
	return 0;
}
