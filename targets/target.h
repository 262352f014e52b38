/*
 * What most targets share: starting and joining threads, ending with a failure, and spending time without touching
 * memory. Nothing here adds a visible operation of its own beyond pthread_create and pthread_join.
 */
#ifndef TARGETS_TARGET_H
#define TARGETS_TARGET_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* The failure of a target: one line on standard error, then SIGABRT. */
__attribute__((noinline, noreturn, unused)) static void fail(const char *what)
{
	fprintf(stderr, "FAIL: %s\n", what);
	abort();
}

/*
 * Keeps the processor busy for some `rounds` cycles in registers only. Assembly, so that it takes the same time at -O0
 * and -O2 and is no access to memory in either.
 */
static inline void spend(unsigned long rounds)
{
	__asm__ volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(rounds) : : "cc");
}

/*
 * Stands between the starts of two threads, so that in a plain run the first has finished long before the second is
 * there. Each time is about 100 us, what an idle machine needs to start a thread; more times are for targets whose bug
 * needs no overlap, only the threads in the other order. It orders nothing.
 */
static inline void apart(unsigned long times)
{
	spend(times * 300000);
}

static inline pthread_t start(void *(*body)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, arg))
		fail("pthread_create");
	return thread;
}

static inline void *join(pthread_t thread)
{
	void *result;

	if (pthread_join(thread, &result))
		fail("pthread_join");
	return result;
}

#endif
