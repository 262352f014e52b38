/* The same with a log that grows: each run reads the lines of the earlier ones first. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void *sets(void *arg)
{
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *uses(void *arg)
{
	pthread_mutex_lock(&lock);
	if (!ready)
		abort();
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	FILE *log = fopen("runs.log", "a+");
	pthread_t threads[2];
	char line[100];

	while (fgets(line, sizeof(line), log))
		;
	fprintf(log, "a run\n");
	fclose(log);
	pthread_create(&threads[0], NULL, sets, NULL);
	pthread_create(&threads[1], NULL, uses, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
