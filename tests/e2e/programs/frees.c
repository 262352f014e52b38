/* frees.c - two threads allocate, publish and free blocks. */
#include <pthread.h>
#include <stdlib.h>

static int *volatile shared;
static int n;

static void *use(void *unused)
{
	int *block = malloc(32);

	shared = block;
	block[0] = n++;
	free(block);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, use, NULL);
	use(NULL);
	pthread_join(thread, NULL);
	return n != 2;
}
