/*
 * abba_among_others: two threads take two mutexes in opposite orders, while a third goes on with a mutex of its own
 * until main, which joins the two, says that it is enough.
 *
 * Answer: the deadlock of the two is found while the third runs: nothing ever stops that one, so nobody gets to see
 * that no thread is enabled. Plain runs: the first has both and is through before the second begins; almost never.
 * Twin: both take the mutexes in the same order.
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
