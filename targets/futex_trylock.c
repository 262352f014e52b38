/*
 * futex_trylock: two threads count under a mutex that is made of an atomic word and a futex. Then one counts although
 * its trylock failed, and releases the lock that the other thread holds.
 *
 * Answer: a harmful race on counter. The lock is recognised at first, until a run shows two threads inside.
 * Twin: the thread waits for the lock.
 */
#include "futex.h"
#include "target.h"

#define ROUNDS 4
#ifdef FIXED
#define MUST_WAIT 1
#else
#define MUST_WAIT 0
#endif

int counter;
static _Atomic int word;

static __attribute__((noinline)) int trylock(void)
{
	int free = 0;

	return atomic_compare_exchange_strong(&word, &free, 1);
}

static __attribute__((noinline)) void lock(void)
{
	int free = 0;

	if (atomic_compare_exchange_strong(&word, &free, 1))
		return;
	while (atomic_exchange(&word, 2) != 0)
		futex_wait(&word, 2);
}

static __attribute__((noinline)) void unlock(void)
{
	if (atomic_exchange(&word, 0) == 2)
		futex_wake(&word, 1);
}

static void *count(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (arg && i == ROUNDS - 1 && !MUST_WAIT)
			trylock();
		else
			lock();
		counter++; /* RACE: add */
		unlock();
	}
	return NULL;
}

int main(void)
{
	pthread_t a = start(count, NULL), b = start(count, &counter);

	join(a);
	join(b);
	if (counter != 2 * ROUNDS)
		fail("lost update");
	puts("8");
	return 0;
}
