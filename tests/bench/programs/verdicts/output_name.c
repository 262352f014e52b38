/* Two threads copy a name to one buffer on the heap, which is printed. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char *name;

static void *names(void *arg)
{
	const char *from = arg;

	for (int i = 0; i < 3; i++)
		name[i] = from[i];
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	name = calloc(1, 8);
	pthread_create(&threads[0], NULL, names, "abc");
	pthread_create(&threads[1], NULL, names, "xyz");
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	puts(name);
	free(name);
	return 0;
}
