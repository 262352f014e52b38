/*
 * count_down: two workers fill their parts of an array and count down an atomic number. The main thread waits until it
 * is zero, then it reads the parts. (Rust's thread::scope and std::latch wait in this way.)
 *
 * Answer: the first worker writes once more after it has counted down. This races with the main thread's read.
 * Twin: it counts down after its last write, and no pair is predicted.
 */
#include "target.h"

#include <sched.h>

static long part[2];
static int running = 2;

static void *work(void *arg)
{
	long *mine = arg;

	*mine = 1; /* RACE: fill */
#ifdef FIXED
	*mine = *mine + 1; /* RACE: late */
#endif
	__atomic_sub_fetch(&running, 1, __ATOMIC_RELEASE);
#ifndef FIXED
	if (mine == &part[0])
		*mine = 2; /* RACE: late */
#endif
	return NULL;
}

int main(void)
{
	pthread_t first = start(work, &part[0]), second = start(work, &part[1]);
	long sum;

	while (__atomic_load_n(&running, __ATOMIC_ACQUIRE) != 0)
		sched_yield();
	sum = part[0] + part[1]; /* RACE: read */
	join(first);
	join(second);
	printf("%s\n", sum > 0 ? "done" : "nothing");
	return 0;
}
