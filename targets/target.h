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
	if (rounds)
		__asm__ volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(rounds) : : "cc");
}

/* About `times` times 100 us; an idle machine starts a thread in less than one. Benchmarks are built without it. */
#ifndef APART_ROUNDS
#define APART_ROUNDS 300000
#endif
static inline void apart(unsigned long times)
{
	spend(times * APART_ROUNDS);
}

static inline pthread_t start(void *(*body)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, arg))
		fail("pthread_create");
	return thread;
}

#define MOST_LATE 8

struct late {
	void *(*body)(void *);
	void *arg;
	unsigned long times;
};

__attribute__((unused)) static void *run_late(void *arg)
{
	struct late late = *(struct late *)arg;

	apart(late.times);
	return late.body(late.arg);
}

/*
 * Starts a thread that stands aside for apart(times) before its body, so that in a plain run the threads started before
 * it are through by then. It orders nothing. The new thread waits, and not main: main goes on to a join and leaves its
 * processor to the thread that is to be first, also where there is only one. Called by main only.
 */
static inline pthread_t start_late(void *(*body)(void *), void *arg, unsigned long times)
{
	static struct late late[MOST_LATE];
	static unsigned used;

	if (used == MOST_LATE)
		fail("too many late threads");
	late[used] = (struct late){body, arg, times};
	return start(run_late, &late[used++]);
}

static inline void *join(pthread_t thread)
{
	void *result;

	if (pthread_join(thread, &result))
		fail("pthread_join");
	return result;
}

#endif
