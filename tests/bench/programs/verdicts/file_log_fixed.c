/* A correct program that reads and changes a file in each run. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *adds(void *arg)
{
	pthread_mutex_lock(&lock);
	sum++;
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
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, adds, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return sum != 2;
}
