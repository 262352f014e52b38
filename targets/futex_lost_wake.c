/*
 * futex_lost_wake: a thread waits on a raw futex for a flag that another thread sets without FUTEX_WAKE.
 *
 * Answer: hang. If the waiter sleeps before the flag is set, no thread wakes it (reported as a deadlock). A scheduler
 * that treats a changed value as a wake-up does not find this. No race, because the flag is atomic.
 * Plain runs: almost never fail, because the flag is set before the waiter begins.
 * Twin: wakes the waiter after setting the flag.
 */
#include "futex.h"
#include "target.h"

_Atomic int flag;

static void *setter(void *arg)
{
	(void)arg;
	atomic_exchange(&flag, 1);
#ifdef FIXED
	futex_wake(&flag, 1);
#endif
	return NULL;
}

static void *waiter(void *arg)
{
	(void)arg;
	while (!atomic_load(&flag))
		futex_wait(&flag, 0); /* WAIT: flag */
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	first = start(setter, NULL);
	second = start_late(waiter, NULL, 10);
	join(first);
	join(second);
	puts("woken");
	return 0;
}
