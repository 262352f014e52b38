/*
 * futex_pingpong: two threads count in turn under a mutex made of one raw futex. It is mutex 2 of Drepper, Futexes Are
 * Tricky (0: free, 1: taken, 2: taken, with possible waiters). They wait for their turn on a second futex.
 *
 * Answer: predicted-only. Hybrid detection does not know this mutex, so the pair of the counter with itself is
 * predicted, but it can never be created. No thread stays asleep.
 */
#include "futex.h"
#include "target.h"

#define TURNS 6

int counter;
_Atomic int mutex;
_Atomic int turn;

static void lock(void)
{
	int seen = 0;

	if (atomic_compare_exchange_strong(&mutex, &seen, 1))
		return;
	if (seen != 2)
		seen = atomic_exchange(&mutex, 2);
	while (seen != 0) {
		futex_wait(&mutex, 2);
		seen = atomic_exchange(&mutex, 2);
	}
}

static void unlock(void)
{
	if (atomic_fetch_sub(&mutex, 1) != 1) {
		atomic_exchange(&mutex, 0);
		futex_wake(&mutex, 1);
	}
}

static void *player(void *arg)
{
	int me = (int)(long)arg, now;

	for (;;) {
		while ((now = atomic_load(&turn)) < TURNS && now % 2 != me)
			futex_wait(&turn, now);
		if (now >= TURNS)
			return NULL;
		lock();
		counter++; /* RACE: increment */
		unlock();
		atomic_fetch_add(&turn, 1);
		futex_wake(&turn, 1);
	}
}

/* Counts once under the mutex, without waiting for a turn. */
static void *bystander(void *arg)
{
	(void)arg;
	lock();
	counter++; /* RACE: bystander */
	unlock();
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	threads[0] = start(player, (void *)0l);
	threads[1] = start(player, (void *)1l);
	threads[2] = start(bystander, NULL);
	for (int i = 0; i < 3; i++)
		join(threads[i]);
	if (counter != TURNS + 1)
		fail("lost update");
	printf("%d\n", counter);
	return 0;
}
