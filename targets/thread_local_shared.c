/*
 * thread_local_shared: a thread passes on the address of its thread-local counter, and both threads change the counter.
 *
 * Answer: race. The owner accesses the counter relative to fs, the other thread through a pointer.
 * Plain runs: the other thread starts late.
 */
#include "target.h"

static __thread long counter;
static long *shared;

static void *other(void *arg)
{
	*shared += 1; /* RACE: other */
	return arg;
}

int main(void)
{
	pthread_t thread;

	shared = &counter;
	thread = start_late(other, NULL, 2);
	counter += 1; /* RACE: own */
	join(thread);
	if (counter != 2)
		fail("lost update");
	return 0;
}
