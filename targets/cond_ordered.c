/*
 * cond_ordered: data is handed over by a flag under a mutex with a condition variable.
 *
 * Answer: silent. The write and the read of the data are outside the mutex. They are predicted if the reader finds the
 * flag set and does not wait, but the race cannot be created.
 */
#include "target.h"

int data, ready;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *writer(void *arg)
{
	(void)arg;
	data = 42; /* RACE: write */
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *reader(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	if (data != 42) /* RACE: read */
		fail("read too early");
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	first = start(reader, NULL);
	second = start(writer, NULL);
	join(first);
	join(second);
	puts("42");
	return 0;
}
