/*
 * deadlock_spin: two spin locks of the program, taken in opposite orders.
 *
 * Answer: deadlock of two threads. No race.
 * Plain runs: the second thread starts late.
 * Twin: both take them in one order.
 */
#include <stdatomic.h>

#include "target.h"

atomic_int front, back;
int moved, counted;

static void take(atomic_int *lock)
{
	int is_free = 0;

	while (!atomic_compare_exchange_weak(lock, &is_free, 1)) {
		is_free = 0;
		__builtin_ia32_pause();
	}
}

static void drop(atomic_int *lock)
{
	atomic_store(lock, 0);
}

static void *move(void *arg)
{
	take(&front);
	take(&back); /* WAIT: holds front */
	moved++;
	drop(&back);
	drop(&front);
	return arg;
}

static void *count(void *arg)
{
#ifdef FIXED
	take(&front);
	take(&back);
#else
	take(&back);
	take(&front); /* WAIT: holds back */
#endif
	counted++;
	drop(&front);
	drop(&back);
	return arg;
}

int main(void)
{
	pthread_t first = start(move, NULL), second = start_late(count, NULL, 2);

	join(first);
	join(second);
	return 0;
}
