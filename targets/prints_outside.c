/*
 * prints_outside: reads its start time from /proc/self/stat, which rfsup does not virtualise. The number of its
 * lock/unlock pairs depends on that time.
 *
 * Answer: diverges. Two runs with one seed differ, and a replay must say so (status 3). There is no other finding.
 */
#include "target.h"
#include <string.h>

int counter;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* proc(5): field 22 of stat, in clock ticks since boot. The name in field 2 may hold blanks but ends with ')'. */
static unsigned long start_time(void)
{
	char line[1024];
	FILE *stat = fopen("/proc/self/stat", "r");
	unsigned long ticks;
	char *field;

	if (!stat || !fgets(line, sizeof(line), stat))
		fail("/proc/self/stat");
	fclose(stat);
	field = strrchr(line, ')');
	for (int i = 2; field && i < 22; i++)
		field = strchr(field + 1, ' ');
	if (!field || sscanf(field, "%lu", &ticks) != 1)
		fail("/proc/self/stat");
	return ticks;
}

static void *count(void *arg)
{
	for (unsigned long i = 0; i < (unsigned long)arg; i++) {
		pthread_mutex_lock(&lock);
		counter++; /* RACE: increment */
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	unsigned long ticks = start_time();
	pthread_t first, second;

	first = start(count, (void *)(ticks % 61 + 1));
	second = start(count, (void *)1ul);
	join(first);
	join(second);
	printf("started at %lu, %d pairs\n", ticks, counter);
	return 0;
}
