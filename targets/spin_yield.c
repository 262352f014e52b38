/*
 * spin_yield: a thread waits for an atomic flag in a loop of loads with sched_yield.
 *
 * Answer: silent, and it must end: a scheduler that runs one thread at a time has to let others go first after a yield.
 * Write and read of the data may be predicted, but cannot be created; the flag is at most unclear without debug
 * information.
 */
#include "target.h"
#include <sched.h>
#include <stdatomic.h>

int data;
_Atomic int flag = 1;

static void *waiter(void *arg)
{
	(void)arg;
	while (!atomic_load_explicit(&flag, memory_order_acquire)) /* SPIN: flag */
		sched_yield();
	if (data != 42) /* RACE: read */
		fail("read too early");
	return NULL;
}

static void *writer(void *arg)
{
	(void)arg;
	data = 42; /* RACE: write */
	atomic_store_explicit(&flag, 1, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	atomic_exchange(&flag, 0); /* a locked instruction, so that the flag is seen to be atomic without its type */
	first = start(waiter, NULL);
	second = start(writer, NULL);
	join(first);
	join(second);
	puts("42");
	return 0;
}
