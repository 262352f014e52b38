/*
 * rare_state: a reader looks at a flag without a lock. It fails only if two other threads have taken turns exactly: one
 * step each, STEPS times. Runs that create the race seldom reach this state first, so they do not fail. A run of
 * exploration may reach it. Its trace then has the race, and the order of the race decides.
 *
 * Answer: set and look are a harmful race.
 * Plain runs: never fail, because the threads run one after the other.
 * Twin: the thread that sets the flag ends before the reader begins.
 */
#include "target.h"

#define STEPS 3

static volatile int ready;
static int turns, last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *takes_turns(void *arg)
{
	int me = *(int *)arg;

	for (int i = 0; i < STEPS; i++) {
		pthread_mutex_lock(&lock);
		turns += last != me;
		last = me;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *sets(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	ready = 1; /* RACE: set */
	return arg;
}

static void *looks(void *arg)
{
	int armed;

	pthread_mutex_lock(&lock);
	armed = turns == 2 * STEPS;
	pthread_mutex_unlock(&lock);
	if (!ready && armed) /* RACE: look */
		fail("not ready");
	return arg;
}

int main(void)
{
	static int numbers[2] = {1, 2};
	pthread_t steps[2], sets_it, looks_at_it;

	steps[0] = start(takes_turns, &numbers[0]);
	steps[1] = start(takes_turns, &numbers[1]);
	sets_it = start(sets, NULL);
#ifdef FIXED
	join(sets_it);
#endif
	looks_at_it = start(looks, NULL);
	join(looks_at_it);
#ifndef FIXED
	join(sets_it);
#endif
	join(steps[0]);
	join(steps[1]);
	puts("looked");
	return 0;
}
