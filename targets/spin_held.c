/*
 * spin_held: a worker counts its progress without a lock, in a long loop; others wait for its end by sched_yield, by
 * tries of a mutex and by an exchange. Whoever postpones the worker at its statement makes them spin.
 *
 * Answer: count with look is real. No hang: the worker ends if it may run.
 * Plain runs: always succeed.
 * Twin: the progress is counted under a mutex of its own.
 */
#include "target.h"
#include <sched.h>

#define ROUNDS 100

long progress, seen;
pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER, counting = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int done;

static void *worker(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&busy);
	for (int i = 0; i < ROUNDS; i++) {
#ifdef FIXED
		pthread_mutex_lock(&counting);
#endif
		progress++; /* RACE: count */
#ifdef FIXED
		pthread_mutex_unlock(&counting);
#endif
	}
	pthread_mutex_unlock(&busy);
	done = 1;
	return NULL;
}

static void *tries(void *arg)
{
	(void)arg;
	while (!done)
		if (pthread_mutex_trylock(&busy) == 0)
			pthread_mutex_unlock(&busy);
	return NULL;
}

static void *exchanges(void *arg)
{
	static int turn;

	(void)arg;
	while (!done)
		__atomic_exchange_n(&turn, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

int main(void)
{
	pthread_t threads[3] = {start(worker, NULL), start(tries, NULL), start(exchanges, NULL)};

#ifdef FIXED
	pthread_mutex_lock(&counting);
#endif
	seen = progress; /* RACE: look */
#ifdef FIXED
	pthread_mutex_unlock(&counting);
#endif
	while (!done)
		sched_yield();
	for (int i = 0; i < 3; i++)
		join(threads[i]);
	puts("done");
	return 0;
}
