/*
 * deadlock_among_40: two threads use forty mutexes, always the one with the lower number first. At one place each, far
 * from each other, they take two more mutexes in opposite orders.
 *
 * Answer: deadlock of two threads, on `log_lock` and `table_lock`. No race.
 * Plain runs: the second thread starts when the first one has ended.
 * Twins: _fixed uses one order. deadlock_among_40_guarded_ok, _joined_ok and _forked_ok keep both orders, but a third
 * lock, a join, or the creation of the thread makes the deadlock impossible.
 */
#include "target.h"

#define OTHERS 40
#define ROUNDS 20

pthread_mutex_t others[OTHERS];
pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER, table_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
int counts[OTHERS], entries, lines;

static void work(unsigned seed)
{
	for (int i = 0; i < ROUNDS; i++) {
		unsigned low = (seed + 7u * (unsigned)i) % (OTHERS - 3);

		for (unsigned k = low; k < low + 3; k++)
			pthread_mutex_lock(&others[k]);
		counts[low]++;
		for (unsigned k = low; k < low + 3; k++)
			pthread_mutex_unlock(&others[k]);
	}
}

static void enter(void)
{
#ifdef GUARDED
	pthread_mutex_lock(&guard);
#endif
}

static void leave(void)
{
#ifdef GUARDED
	pthread_mutex_unlock(&guard);
#endif
}

static void *writer(void *arg)
{
	enter();
	pthread_mutex_lock(&table_lock);
	pthread_mutex_lock(&log_lock); /* WAIT: holds table_lock */
	entries++;
	lines++;
	pthread_mutex_unlock(&log_lock);
	pthread_mutex_unlock(&table_lock);
	leave();
	work(1);
	return arg;
}

#ifdef FORKED
static void *work_only(void *arg)
{
	work(5);
	return arg;
}
#endif

static void *flusher(void *arg)
{
	work(3);
	enter();
#ifdef FIXED
	pthread_mutex_lock(&table_lock);
	pthread_mutex_lock(&log_lock);
#else
	pthread_mutex_lock(&log_lock);
	pthread_mutex_lock(&table_lock); /* WAIT: holds log_lock */
#endif
	lines = 0;
	entries = 0;
	pthread_mutex_unlock(&table_lock);
	pthread_mutex_unlock(&log_lock);
	leave();
	return arg;
}

int main(void)
{
	pthread_t first, second;

	for (int i = 0; i < OTHERS; i++)
		pthread_mutex_init(&others[i], NULL);
#ifdef FORKED
	writer(NULL);
	first = start(work_only, NULL);
#else
	first = start(writer, NULL);
#endif
#ifdef JOINED
	join(first);
#endif
	second = start_late(flusher, NULL, 2);
#ifndef JOINED
	join(first);
#endif
	join(second);
	printf("%d %d\n", entries, lines);
	return 0;
}
