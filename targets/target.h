/*
 * What most targets share: starting and joining threads, failing, and spending time without touching memory. Its only
 * visible operations are pthread_create and pthread_join. targets.txt explains the head of each target (Answer, Twin).
 */
#ifndef TARGETS_TARGET_H
#define TARGETS_TARGET_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the target as failed: one line on standard error, then SIGABRT. */
__attribute__((noinline, noreturn, unused)) static void fail(const char *what)
{
	fprintf(stderr, "FAIL: %s\n", what);
	abort();
}

/*
 * Keeps the processor busy for about `rounds` cycles, in registers only. It is assembly so that it takes the same time
 * at -O0 and -O2, and never accesses memory.
 */
static inline void spend(unsigned long rounds)
{
	if (rounds)
		__asm__ volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(rounds) : : "cc");
}

/* Spends `times` times about 100 us, in which an idle machine starts a thread. Benchmarks define APART_ROUNDS as 0. */
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
 * Starts a thread that waits for apart(times) before its body. So in a plain run the earlier threads have ended by
 * then. The new thread waits, not main: main continues to a join, so the earlier threads get main's processor even if
 * there is only one. No happens-before edge results. Only main calls this function.
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
