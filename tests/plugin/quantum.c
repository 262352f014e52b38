/*
 * quantum.c - the example of rfsup-policy(7): threads take turns in order of their numbers, each for 1 to 8 operations.
 *
 * It uses nothing but policy.h. Build it with `make` in this folder, and run it with
 *
 *	rfsup --policy ./quantum.so --runs 200 PROGRAM
 */
#include "policy/policy.h"

#include <errno.h>
#include <stdlib.h>

#define LONGEST 8

struct quantum {
	uint64_t random; /* state of draw() */
	int thread;	 /* whose turn it is; -1 before the first turn */
	uint64_t left;	 /* operations that are left in this turn */
};

/*
 * splitmix64 (Steele, Lea & Flood, OOPSLA 2014). All randomness must come from the seed, otherwise a run could not be
 * replayed.
 */
static uint64_t draw(struct quantum *quantum)
{
	uint64_t z = quantum->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static int quantum_init(void **state, const struct rfs_policy_args *args)
{
	struct quantum *quantum;

	if (args->options && *args->options)
		return -EINVAL; /* this policy has no options */
	quantum = calloc(1, sizeof(*quantum));
	if (!quantum)
		return -ENOMEM;
	quantum->random = args->seed;
	quantum->thread = -1;
	*state = quantum;
	return 0;
}

/*
 * 0 if the thread cannot be picked. Otherwise lower ranks come first. A thread that only waits for time to pass has the
 * highest rank.
 */
static int rank(const struct rfs_thread_view *thread)
{
	bool enabled = thread->flags & RFS_THREAD_ENABLED;

	if ((thread->flags & RFS_THREAD_CAN_TIME_OUT) && !(thread->flags & RFS_THREAD_READY))
		return 3;
	if (!enabled)
		return 0;
	if (thread->flags & RFS_THREAD_SLEEPS)
		return 3;
	return thread->flags & RFS_THREAD_YIELDED ? 2 : 1;
}

/* The first thread of rank `wanted` after the thread of the last turn, cyclically. NULL if there is none. */
static const struct rfs_thread_view *next_in_turn(const struct quantum *quantum, const struct rfs_view *view,
						  int wanted)
{
	const struct rfs_thread_view *first = NULL;

	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *thread = &view->threads[i];

		if (rank(thread) != wanted)
			continue;
		if (thread->thread > quantum->thread)
			return thread;
		if (!first)
			first = thread;
	}
	return first;
}

static int quantum_pick(void *state, const struct rfs_view *view, struct rfs_choice *out)
{
	struct quantum *quantum = state;
	const struct rfs_thread_view *thread = NULL;

	for (size_t i = 0; quantum->left > 0 && i < view->n_threads; i++) {
		if (view->threads[i].thread == quantum->thread && rank(&view->threads[i]) == 1)
			thread = &view->threads[i];
	}
	if (!thread) {
		for (int wanted = 1; !thread && wanted <= 3; wanted++)
			thread = next_in_turn(quantum, view, wanted);
		if (!thread)
			return -EINVAL; /* pick was called although no thread can run */
		quantum->thread = thread->thread;
		quantum->left = 1 + draw(quantum) % LONGEST;
	}
	quantum->left--;
	out->thread = thread->thread;
	if ((thread->flags & RFS_THREAD_CAN_TIME_OUT) && !(thread->flags & RFS_THREAD_READY))
		out->outcome = RFS_OUTCOME_TIMED_OUT;
	return 0;
}

static void quantum_fini(void *state)
{
	free(state);
}

const struct rfs_policy_ops rfs_policy = {
	.abi = RFS_POLICY_ABI,
	.name = "quantum",
	.summary = "threads take turns, each for a few operations",
	.init = quantum_init,
	.pick = quantum_pick,
	.fini = quantum_fini,
};
