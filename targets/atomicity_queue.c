/*
 * atomicity_queue: two consumers look in one section whether the queue has an item, and take it in another. Both may
 * want the last item.
 *
 * Answer: failure, no race: an atomicity violation on the number of items.
 * Plain and random runs: never fail, because one consumer is done long before the other one looks.
 * Twin: one section.
 */
#include "late.h"
#include "target.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items = 1, queue[4] = {42};

static void take(void)
{
	int any;

	pthread_mutex_lock(&lock);
	any = items > 0;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	if (any) {
		if (items == 0 || queue[items - 1] != 42)
			abort();
		items--;
	}
	pthread_mutex_unlock(&lock);
}

static void *take_early(void *arg)
{
	(void)arg;
	take();
	return NULL;
}

static void *take_late(void *arg)
{
	(void)arg;
	come_late();
	take();
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, take_early, NULL);
	pthread_create(&threads[1], NULL, take_late, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
