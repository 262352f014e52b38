/*
 * spin_mutex: three threads count under a spin lock of the usual kind: test, test-and-set, and a plain store that
 * releases it. Then they add what they saw to a total without the lock.
 *
 * Answer: a harmful race on total, and none on counter.
 * Twin: the lock is held there too, and no pair is predicted.
 */
#include "target.h"

int counter, total;
static unsigned char word;

static __attribute__((noinline)) void lock(void)
{
	while (__atomic_exchange_n(&word, 1, __ATOMIC_ACQUIRE))
		while (__atomic_load_n(&word, __ATOMIC_RELAXED))
			__builtin_ia32_pause();
}

static __attribute__((noinline)) void unlock(void)
{
	__atomic_store_n(&word, 0, __ATOMIC_RELEASE);
}

static void *count(void *arg)
{
	int sum = 0;

	(void)arg;
	for (int i = 0; i < 3; i++) {
		lock();
		counter++;
		sum += counter;
		unlock();
	}
#ifdef FIXED
	lock();
#endif
	total += sum; /* RACE: add */
#ifdef FIXED
	unlock();
#endif
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		threads[i] = start(count, NULL);
	for (int i = 0; i < 3; i++)
		join(threads[i]);
	if (counter != 9)
		fail("lost update under the lock");
	if (total < 45)
		fail("lost update");
	puts("9");
	return 0;
}
