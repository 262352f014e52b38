/*
 * exchange_publish: two threads need a value that one of them makes. The one that changes the state from 0 to 1 with a
 * compare-exchange makes the value, and exchanges the state for 2. The other one tries the same until it finds 2. A
 * compare-exchange that fails is only a load. (Rust's Once works in this way.)
 *
 * Answer: a part of the value is made after the exchange, which races with the other thread's read.
 * Twin: all of it is made before, and no pair is predicted.
 */
#include "target.h"

#include <sched.h>

static int state;
static long value[2];

static void *use(void *arg)
{
	(void)arg;
	for (;;) {
		int found = 0;

		if (__atomic_compare_exchange_n(&state, &found, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
			value[0] = 3; /* RACE: make make-late */
#ifdef FIXED
			value[1] = 4; /* RACE: make-late */
#endif
			if (__atomic_exchange_n(&state, 2, __ATOMIC_ACQ_REL) != 1)
				fail("made twice");
#ifndef FIXED
			value[1] = 4; /* RACE: make-late */
#endif
			break;
		}
		if (found == 2)
			break;
		sched_yield();
	}
	return (void *)(value[0] + value[1]); /* RACE: use */
}

int main(void)
{
	pthread_t first = start(use, NULL), second = start_late(use, NULL, 2);
	long a = (long)join(first), b = (long)join(second);

	if (a != 7 || b != 7)
		fail("a part of the value was missing");
	puts("7");
	return 0;
}
