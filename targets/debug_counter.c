/*
 * debug_counter: two threads count their calls for debugging, without a lock. Nobody needs the exact number. Apart from
 * that, an update that must be atomic is split into two critical sections, so the program fails in some schedules.
 *
 * Answer: the counters race, but this is not harmful: in either order of the race, the program fails equally often. The
 * failure is a finding beside it.
 * Plain runs: almost never fail, because the first thread has ended before the second begins.
 * Twin: the counters are atomic, and the update is one critical section.
 */
#include "target.h"

int begun, ended;
int balance;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void count(int *counter)
{
#ifdef FIXED
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); /* RACE: count */
#else
	(*(volatile int *)counter)++; /* RACE: count */
#endif
}

static void *pay(void *arg)
{
	int value;

	count(&begun);
	pthread_mutex_lock(&lock);
	value = balance;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	balance = value + 1;
	pthread_mutex_unlock(&lock);
	count(&ended);
	return arg;
}

int main(void)
{
	pthread_t first, second;

	first = start(pay, NULL);
	second = start_late(pay, NULL, 2);
	join(first);
	join(second);
	if (balance != 2)
		fail("a payment is lost");
	puts("2");
	return 0;
}
