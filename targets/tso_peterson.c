/*
 * tso_peterson: Peterson's mutual exclusion (Myths about the Mutual Exclusion Problem, Information Processing Letters,
 * 1981) with atomic loads and stores, but without the fence that x86 processors need.
 *
 * Answer: nothing without --memory-model tso. With it, both threads are in the critical section.
 * Plain runs: almost never, because one thread has ended before the other begins.
 * Twin: has the fence; nothing under either memory model.
 */
#include "tso.h"

int wants[2], turn, balance;

static void *deposit(void *arg)
{
	int me = arg != NULL, before;

	STORE(wants[me], 1);
	STORE(turn, !me);
	FENCE;
	while (LOAD(wants[!me]) && LOAD(turn) != me)
		sched_yield();
	before = LOAD(balance);
	STORE(balance, before + 10);
	STORE(wants[me], 0);
	return NULL;
}

int main(void)
{
	pthread_t first = start(deposit, NULL), second = start_late(deposit, &balance, 3);

	join(first);
	join(second);
	if (LOAD(balance) != 20)
		fail("a deposit is lost");
	puts("done");
	return 0;
}
