/*
 * abba_among_others: two threads take two mutexes in opposite orders. A third thread uses another mutex again and
 * again, until main has joined the two and sets `enough`.
 *
 * Answer: the deadlock of the two is found while the third thread runs. The third thread is always enabled, so the
 * state in which no thread is enabled never occurs. Plain runs: almost never fail, because the first thread has ended
 * before the second begins. Twin: both threads take the mutexes in the same order.
 */
#include "target.h"
#include <sched.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, own = PTHREAD_MUTEX_INITIALIZER;
int enough;

static void *a_then_b(void *arg)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *b_then_a(void *arg)
{
#ifdef FIXED
	return a_then_b(arg);
#endif
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return arg;
}

static void *go_on(void *arg)
{
	for (int stop = 0; !stop;) {
		pthread_mutex_lock(&own);
		stop = enough;
		pthread_mutex_unlock(&own);
		sched_yield();
	}
	return arg;
}

int main(void)
{
	pthread_t first, second, third;

	third = start(go_on, NULL);
	first = start(a_then_b, NULL);
	second = start_late(b_then_a, NULL, 2);
	join(first);
	join(second);
	pthread_mutex_lock(&own);
	enough = 1;
	pthread_mutex_unlock(&own);
	join(third);
	puts("done");
	return 0;
}
