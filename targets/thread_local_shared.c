/*
 * thread_local_shared: a thread passes on the address of its thread-local counter, and both threads change the counter.
 *
 * Answer: race. The owner accesses the counter relative to fs, the other thread through a pointer.
 * Plain runs: the other thread starts late.
 * Twin: both threads hold a mutex.
 */
#include "target.h"
#include "twin_lock.h"

static __thread long counter;
static long *shared;

static void *other(void *arg)
{
	lock();
	*shared += 1; /* RACE: other */
	unlock();
	return arg;
}

int main(void)
{
	pthread_t thread;

	shared = &counter;
	thread = start_late(other, NULL, 2);
	lock();
	counter += 1; /* RACE: own */
	unlock();
	join(thread);
	if (counter != 2)
		fail("lost update");
	return 0;
}
