/*
 * abba: two threads take two mutexes in opposite order.
 *
 * Answer: deadlock, a cycle of two. No race: both mutexes protect the balances.
 * Plain runs: almost never fail, because the first thread has released both before the second begins.
 * Twin: both threads take mutex a first.
 */
#include "target.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
int in_a = 10, in_b = 10;

static void *a_to_b(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b); /* WAIT: b with a held */
	in_a--;
	in_b++;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return NULL;
}

static void *b_to_a(void *arg)
{
	(void)arg;
#ifdef FIXED
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
#else
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a); /* WAIT: a with b held */
#endif
	in_b--;
	in_a++;
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	first = start(a_to_b, NULL);
	second = start_late(b_to_a, NULL, 2);
	join(first);
	join(second);
	printf("%d %d\n", in_a, in_b);
	return 0;
}
