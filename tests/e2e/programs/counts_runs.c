/*
 * Keeps in a file how often it was started, and locks a mutex that often. So no run repeats an earlier one. Two threads
 * then write to a variable without a lock.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int shared;

static void *writes(void *arg)
{
	shared = 1; /* RACE */
	return arg;
}

int main(void)
{
	FILE *file = fopen("runs", "r+");
	pthread_t threads[2];
	int runs = 0;

	if (!file)
		file = fopen("runs", "w+");
	if (!file)
		return 1;
	if (fscanf(file, "%d", &runs) != 1)
		runs = 0;
	rewind(file);
	fprintf(file, "%d\n", ++runs);
	fclose(file);
	for (int i = 0; i < runs; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, writes, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
