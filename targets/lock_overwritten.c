/*
 * lock_overwritten: a thread locks a record and then clears all of it, including the lock in it.
 *
 * Answer: failure, and "lock memory overwritten" is reported. The other thread gets the lock as well, so the critical
 * sections overlap, an update is lost, and main aborts. Both threads may then clear the record at the same time.
 * Plain runs: almost never fail, because the first thread has ended before the second begins.
 * Twin: clears only the part of the record after the lock.
 */
#include "target.h"
#include <string.h>

struct record {
	pthread_mutex_t lock;
	int scratch[4];
};

struct record record = {.lock = PTHREAD_MUTEX_INITIALIZER};
pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
int total, lines;

static void log_line(void)
{
	pthread_mutex_lock(&log_lock);
	lines++;
	pthread_mutex_unlock(&log_lock);
}

static void *add(void *arg)
{
	int before;

	(void)arg;
	pthread_mutex_lock(&record.lock);
#ifdef FIXED
	memset(record.scratch, 0, sizeof(record.scratch));
#else
	memset(&record, 0, sizeof(record)); /* RACE: clear */
#endif
	before = total; /* RACE: load */
	log_line();
	total = before + 1; /* RACE: store */
	pthread_mutex_unlock(&record.lock);
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	first = start(add, NULL);
	second = start_late(add, NULL, 2);
	join(first);
	join(second);
	if (total != 2)
		fail("lost update");
	puts("2");
	return 0;
}
