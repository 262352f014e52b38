/*
 * futex_abba: two threads lock two mutexes in opposite order. The mutexes are made of an atomic word and a futex.
 *
 * Answer: a deadlock. The report names both mutexes, and who holds and who waits.
 * Twin: both threads lock in the same order.
 */
#include "futex.h"
#include "target.h"

static _Atomic int first, second;
int shared;

static __attribute__((noinline)) void lock(_Atomic int *word)
{
	int free = 0;

	if (atomic_compare_exchange_strong(word, &free, 1))
		return;
	while (atomic_exchange(word, 2) != 0)
		futex_wait(word, 2);
}

static __attribute__((noinline)) void unlock(_Atomic int *word)
{
	if (atomic_exchange(word, 0) == 2)
		futex_wake(word, 1);
}

static void *forwards(void *arg)
{
	lock(&first);
	lock(&second);
	shared++;
	unlock(&second);
	unlock(&first);
	return arg;
}

static void *backwards(void *arg)
{
#ifdef FIXED
	lock(&first);
	lock(&second);
#else
	lock(&second);
	lock(&first);
#endif
	shared++;
	unlock(&first);
	unlock(&second);
	return arg;
}

int main(void)
{
	pthread_t a = start(forwards, NULL), b = start_late(backwards, NULL, 2);

	join(a);
	join(b);
	if (shared != 2)
		fail("lost update");
	puts("2");
	return 0;
}
