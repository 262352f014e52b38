/*
 * candidates.h - the threads that a policy should draw from, and the outcome and waiter of the thread drawn.
 *
 * A policy that picks from all enabled threads alike would let a thread that yields starve the others (Musuvathi &
 * Qadeer, Fair Stateless Model Checking, PLDI 2008) and would make every sleep meaningless. So threads come in classes:
 *
 *   awake     enabled, has not yielded, does not sleep;
 *   yielded   enabled, gave up its turn and no other thread has run since: drawn only if no awake one is left;
 *   sleeping  runs only when virtual time passes, or can do nothing but time out: joins the awake ones with probability
 *             1/8 (an order that only a sleep enforces is a bug and must be explorable), otherwise comes last.
 *
 * A simple policy:
 *
 *	rfs_candidates_collect(&state->candidates, view, &state->rng);
 *	i = rfs_rng_below(&state->rng, state->candidates.n);
 *	rfs_candidates_choose(view, state->candidates.threads[i], &state->rng, out);
 */
#ifndef RFS_CANDIDATES_H
#define RFS_CANDIDATES_H

#include "policy/core/rng.h"
#include "policy/policy.h"

enum rfs_candidate_class {
	RFS_CANDIDATE_NONE, /* cannot be picked */
	RFS_CANDIDATE_AWAKE,
	RFS_CANDIDATE_YIELDED,
	RFS_CANDIDATE_SLEEPING,
};

/* Zeroed memory is an empty list; rfs_candidates_release() frees what it grew. */
struct rfs_candidates {
	const struct rfs_thread_view **threads; /* borrowed from the view, ascending by thread */
	size_t n, capacity;
};

enum rfs_candidate_class rfs_candidate_class(const struct rfs_thread_view *thread);

/*
 * Threads of the view that filter does not leave out (NULL: no filter). collect: awake ones and the sleeping ones that
 * join them; otherwise the yielded ones; otherwise the sleeping ones; empty only if the filter left nothing. A policy
 * that must insert something between these steps calls them one by one: awake (with the sleeping ones that join), then
 * of_class. all: threads of all classes, including those that cannot be picked.
 */
typedef bool rfs_candidate_filter(void *arg, const struct rfs_thread_view *thread);

void rfs_candidates_collect(struct rfs_candidates *list, const struct rfs_view *view, struct rfs_rng *rng);
void rfs_candidates_awake(struct rfs_candidates *list, const struct rfs_view *view, struct rfs_rng *rng,
			  rfs_candidate_filter *filter, void *arg);
void rfs_candidates_of_class(struct rfs_candidates *list, const struct rfs_view *view, enum rfs_candidate_class class,
			     rfs_candidate_filter *filter, void *arg);
void rfs_candidates_all(struct rfs_candidates *list, const struct rfs_view *view, rfs_candidate_filter *filter,
			void *arg);

/* Removes entry i from the list; the others keep their order. */
void rfs_candidates_remove(struct rfs_candidates *list, size_t i);

void rfs_candidates_release(struct rfs_candidates *list);

/* Exactly one thread of the view can be picked; its class does not matter. */
bool rfs_candidates_single(const struct rfs_view *view);

/*
 * Fills in thread, outcome and waiter of *out for a thread that can be picked: it times out if it can do nothing else,
 * and with probability 1/8 if it can do both; a signal or wake takes one of the threads that wait for it, each with the
 * same probability.
 */
void rfs_candidates_choose(const struct rfs_view *view, const struct rfs_thread_view *thread, struct rfs_rng *rng,
			   struct rfs_choice *out);

#endif
