/* Prints the addresses of code, data, stack and heap. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static void *body(void *arg)
{
	int local;

	printf("thread %p %p\n", (void *)&local, malloc(100));
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	printf("%p %p %p %p %p %p\n", (void *)main, (void *)&argc, (void *)argv[0], malloc(10), malloc(1 << 20),
	       mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	printf("%p\n", (void *)puts);
	pthread_create(&thread, NULL, body, NULL);
	pthread_join(thread, NULL);
	return 0;
}
