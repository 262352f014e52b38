/*
 * spin_pause: a thread waits for an atomic flag in a loop of loads with `pause`.
 *
 * Answer: silent, and the run must end: a scheduler that runs one thread at a time must treat `pause` as a yield. The
 * pair on the data may be predicted, but cannot be created. Without debug information the flag is unclear at worst.
 */
#include "target.h"
#include <stdatomic.h>

int data;
_Atomic int flag = 1;

static void *waiter(void *arg)
{
	(void)arg;
	while (!atomic_load_explicit(&flag, memory_order_acquire)) /* SPIN: flag */
		__builtin_ia32_pause();
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

	atomic_exchange(&flag, 0); /* the lock prefix shows that the flag is atomic, even without its type */
	first = start(waiter, NULL);
	second = start(writer, NULL);
	join(first);
	join(second);
	puts("42");
	return 0;
}
