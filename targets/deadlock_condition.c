/*
 * deadlock_condition: both threads lock `queue` before `stats`. But one of them waits for a condition with both locked:
 * when it wakes, it locks `queue` again while it holds `stats`.
 *
 * Answer: deadlock of two threads. No race.
 * Plain runs: the observer starts late, when the producer has ended. On a busy machine some deadlock.
 * Twin: unlocks `stats` before it waits.
 */
#include "target.h"

pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER, stats = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int items, waits, looks;

static void *consumer(void *arg)
{
	pthread_mutex_lock(&queue);
	while (!items) {
#ifdef FIXED
		pthread_mutex_lock(&stats);
		waits++;
		pthread_mutex_unlock(&stats);
		pthread_cond_wait(&filled, &queue);
#else
		pthread_mutex_lock(&stats);
		waits++;
		pthread_cond_wait(&filled, &queue); /* WAIT: holds stats */
		pthread_mutex_unlock(&stats);
#endif
	}
	items--;
	pthread_mutex_unlock(&queue);
	return arg;
}

static void *producer(void *arg)
{
	pthread_mutex_lock(&queue);
	items++;
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&queue);
	return arg;
}

static void *observer(void *arg)
{
	pthread_mutex_lock(&queue);
	pthread_mutex_lock(&stats); /* WAIT: holds queue */
	looks++;
	pthread_mutex_unlock(&stats);
	pthread_mutex_unlock(&queue);
	return arg;
}

int main(void)
{
	pthread_t first = start(consumer, NULL), second = start_late(producer, NULL, 2), third;

	join(second);
	third = start_late(observer, NULL, 8);
	join(first);
	join(third);
	return 0;
}
