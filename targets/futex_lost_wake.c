/*
 * futex_lost_wake: a thread waits on a raw futex for a flag that another sets without FUTEX_WAKE.
 *
 * Answer: hang. Where the waiter sleeps before the flag is set, nobody wakes it (rfsup: a deadlock of one thread). A
 * scheduler that takes a changed value for a wake-up misses it. The flag is atomic: no race.
 * Plain runs: the flag is set before the waiter begins; almost never.
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
