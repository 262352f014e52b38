/*
 * futex_mutex: three threads count under a mutex that is made of an atomic word and a futex. Then they add what they
 * saw to a total without the mutex. Many languages' runtimes have such a mutex (Drepper, Futexes Are Tricky, mutex 2).
 * Its word is 0 if free, 1 if held, and 2 if held and a thread may sleep.
 *
 * Answer: a real race on total, and none on counter. The race need not be harmful: with three threads, an update can
 * also be lost in the other order. Twin: the lock is held there too, and no pair is predicted.
 */
#include "futex.h"
#include "target.h"

int counter, total;
static _Atomic int word;

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
