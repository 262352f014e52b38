/*
 * flag_under_lock: data is handed over by a flag that is set and read under a mutex. The reader does not wait for it.
 *
 * Answer: predicted-only. A mutex gives no order to hybrid detection, so the write and the read are predicted. Because
 * of the flag, their race cannot be created.
 * Plain runs: the writer ends before the reader begins, so both statements are reached.
 */
#include "target.h"

int data, flag;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *arg)
{
	(void)arg;
	data = 42; /* RACE: write */
	pthread_mutex_lock(&lock);
	flag = 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *reader(void *arg)
{
	int set;

	(void)arg;
	pthread_mutex_lock(&lock);
	set = flag;
	pthread_mutex_unlock(&lock);
	if (set && data != 42) /* RACE: read */
		fail("read too early");
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	first = start(writer, NULL);
	second = start_late(reader, NULL, 2);
	join(first);
	join(second);
	puts("done");
	return 0;
}
