/* hot_stores.c - two threads race at statements that they execute often. */
#include <pthread.h>
#include <stdio.h>

#define TIMES 400

static int x, y;

static void *writer(void *arg)
{
	(void)arg;
	for (int i = 0; i < TIMES; i++)
		*(volatile int *)&x = i;
	return NULL;
}

static void *reader(void *arg)
{
	(void)arg;
	for (int i = 0; i < TIMES; i++)
		*(volatile int *)&y = *(volatile int *)&x;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, writer, NULL);
	pthread_create(&threads[1], NULL, reader, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	puts("done");
	return 0;
}
