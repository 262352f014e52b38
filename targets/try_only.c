/*
 * try_only: two threads count if they get a flag, which they set with a compare-exchange and clear with a store. Nobody
 * ever waits for the flag: a thread that does not get it continues.
 *
 * Answer: a harmful race on counter, because a thread counts although it has not got the flag.
 * Twin: it counts only with the flag. The flag is recognised as a lock, and no pair is predicted.
 */
#include "target.h"

#define ROUNDS 4

int counter;
static int busy;

static __attribute__((noinline)) int try(void)
{
	int expected = 0;

	return __atomic_compare_exchange_n(&busy, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static __attribute__((noinline)) void leave(void)
{
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

static void *count(void *arg)
{
	long counted = 0;

	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		int got = try();

#ifdef FIXED
		if (!got)
			continue;
#endif
		counter++; /* RACE: add */
		counted++;
		if (got)
			leave();
	}
	return (void *)counted;
}

int main(void)
{
	pthread_t a = start(count, NULL), b = start_late(count, NULL, 2);
	long counted = (long)join(a);

	counted += (long)join(b);
	if (counter != counted)
		fail("lost update");
	puts("counted");
	return 0;
}
