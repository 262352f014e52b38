/*
 * A program with a race in every run. It reads the start time of its process (proc(5), field 22 of stat), which rfsup
 * does not control. It prints that number, and locks as often as the number modulo 61 says.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned long start_time(void)
{
	char line[1024];
	FILE *stat = fopen("/proc/self/stat", "r");
	char *field;

	if (!stat || !fgets(line, sizeof(line), stat))
		exit(99);
	fclose(stat);
	field = strrchr(line, ')');
	for (int i = 2; field && i < 22; i++)
		field = strchr(field + 1, ' ');
	return field ? strtoul(field, NULL, 10) : 0;
}

static void *count(void *arg)
{
	for (unsigned long i = 0; i < (unsigned long)arg; i++) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
	counter++;
	return NULL;
}

int main(void)
{
	unsigned long ticks = start_time();
	pthread_t first, second;

	pthread_create(&first, NULL, count, (void *)(ticks % 61 + 1));
	pthread_create(&second, NULL, count, (void *)1ul);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	printf("started at %lu\n", ticks);
	return 0;
}
