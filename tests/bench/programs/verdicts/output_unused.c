/* Threads race at a counter that nobody prints, and print what is always the same. */
#include <pthread.h>
#include <stdio.h>

static int calls;

static void *counts(void *arg)
{
	calls++;
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, counts, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	puts("done");
	return 0;
}
