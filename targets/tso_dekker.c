/*
 * tso_dekker: Dekker's mutual exclusion (Dijkstra, Cooperating Sequential Processes, 1965, section 2.1) with atomic
 * loads and stores, but without the fences that x86 processors need.
 *
 * Answer: nothing without --memory-model tso. With it, both threads are in the critical section: the store to wants[me]
 * waits in the store buffer while the thread loads wants[other].
 * Plain runs: almost never, because one thread has ended before the other begins.
 * Twin: has the fences; nothing under either memory model.
 */
#include "tso.h"

int wants[2], turn, inside;

static void enter(int me)
{
	STORE(wants[me], 1);
	FENCE;
	while (LOAD(wants[!me])) {
		if (LOAD(turn) == me)
			continue;
		STORE(wants[me], 0);
		while (LOAD(turn) != me)
			sched_yield();
		STORE(wants[me], 1);
		FENCE;
	}
}

static void leave(int me)
{
	STORE(turn, !me);
	STORE(wants[me], 0);
}

static void *work(void *arg)
{
	int me = arg != NULL;

	enter(me);
	if (__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) != 1)
		fail("two threads are inside");
	__atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
	leave(me);
	return NULL;
}

int main(void)
{
	pthread_t first = start(work, NULL), second = start_late(work, &inside, 3);

	join(first);
	join(second);
	puts("done");
	return 0;
}
