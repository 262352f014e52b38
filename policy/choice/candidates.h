/*
 * candidates.h - the threads that a policy should draw from, and the outcome and waiter of the drawn thread.
 *
 * If a policy drew from all enabled threads with equal probability, a thread that yields in a loop could starve the
 * others, and sleeps would have no meaning (Musuvathi & Qadeer, Fair Stateless Model Checking, PLDI 2008). So threads
 * are divided into classes:
 *
 *   awake     enabled, has not yielded, does not sleep
 *   yielded   enabled, but gave up its turn, and no other thread has run since
 *   sleeping  can run only if virtual time passes, or can only time out
 *
 * But a yield is advice, not an order. It may return at once, a sleep may be over before another thread has done
 * anything, and an order that only a yield or a sleep enforces is a bug. So each of them has a small probability that
 * the thread *goes on*: it is then the only candidate, until it yields or sleeps again, cannot run, or a draw ends it.
 * In some runs that happens to a thread nearly every time. At other times, a yielded thread is a candidate only if no
 * thread is awake. A sleeping one counts as awake with probability 1/8 at each pick, and otherwise comes last. So every
 * order has a positive probability, and a loop that yields starves no thread.
 *
 * A simple policy:
 *
 *	rfs_candidates_collect(&state->candidates, view, &state->rng);
 *	i = rfs_rng_below(&state->rng, state->candidates.n);
 *	rfs_candidates_choose(&state->candidates, view, state->candidates.threads[i], &state->rng, out);
 */
#ifndef RFS_CANDIDATES_H
#define RFS_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/core/rng.h"
#include "policy/operations.h"

struct rfs_choice;
struct rfs_thread_view;
struct rfs_view;

enum rfs_candidate_class {
	RFS_CANDIDATE_NONE, /* cannot be picked */
	RFS_CANDIDATE_AWAKE,
	RFS_CANDIDATE_YIELDED,
	RFS_CANDIDATE_SLEEPING,
};

/* Zeroed memory is an empty list. One list serves for the whole run. rfs_candidates_release() frees the memory inside.
 */
struct rfs_candidates {
	const struct rfs_thread_view **threads; /* borrowed from the view, ascending by thread */
	size_t n, capacity;
	struct rfs_haste *haste; /* what the yields of each thread mean in this run; only candidates.c uses it */
	size_t haste_capacity;
	int going, last; /* thread number + 1, or 0: the one that goes on, and the one chosen last */
};

enum rfs_candidate_class rfs_candidate_class(const struct rfs_thread_view *thread);

/*
 * Each of these replaces the list by threads of the view for which filter is true (NULL: no filter).
 *
 *   collect   the thread that goes on. If there is none: the awake threads and some sleeping ones (probability 1/8
 *             each). If there are none: the yielded threads. If there are none either: all sleeping threads. Empty only
 *             if no thread can be picked.
 *   awake     only the first step of collect
 *   of_class  all threads of one class, as in the other steps of collect
 *   all       threads of all classes, even those that cannot be picked
 *
 * A policy that must do something between the steps of collect calls awake and of_class instead.
 */
typedef bool rfs_candidate_filter(void *arg, const struct rfs_thread_view *thread);

void rfs_candidates_collect(struct rfs_candidates *list, const struct rfs_view *view, struct rfs_rng *rng);
void rfs_candidates_awake(struct rfs_candidates *list, const struct rfs_view *view, struct rfs_rng *rng,
			  rfs_candidate_filter *filter, void *arg);
void rfs_candidates_of_class(struct rfs_candidates *list, const struct rfs_view *view, enum rfs_candidate_class class,
			     rfs_candidate_filter *filter, void *arg);
void rfs_candidates_all(struct rfs_candidates *list, const struct rfs_view *view, rfs_candidate_filter *filter,
			void *arg);

/* Whether this thread was the only candidate of the last collect or awake because it goes on. */
bool rfs_candidates_goes_on(const struct rfs_candidates *list, int thread);

/* Removes entry i; the others keep their order. */
void rfs_candidates_remove(struct rfs_candidates *list, size_t i);
/*
 * Keeps only threads before the first half of a read-modify-write whose second half will race with the access that
 * another thread is parked before, if there are any.
 */
void rfs_candidates_keep_halves(struct rfs_candidates *list, const struct rfs_view *view);

void rfs_candidates_release(struct rfs_candidates *list);

/* How often time has passed at one step. Zeroed memory: not yet. */
struct rfs_time_passes {
	uint64_t at, n;
};

/* Lets time pass, unless it would pass beyond `until`, or has passed too often at this step. True if *out is set. */
bool rfs_candidates_pass_time(struct rfs_time_passes *passes, const struct rfs_view *view, uint64_t until,
			      struct rfs_choice *out);

/*
 * Gives a hint if there is only one thread: until another one is created, there is nothing to choose. Call it last in
 * pick.
 */
void rfs_candidates_alone(const struct rfs_view *view, struct rfs_choice *out);

/* Whether exactly one thread of the view can be picked, whatever its class. */
bool rfs_candidates_single(const struct rfs_view *view);

/* Whether this thread waits and the operation, a signal or futex wake, can wake it. False for all other operations. */
bool rfs_candidate_waits(const struct rfs_thread_view *thread, const struct rfs_op *wake);

/*
 * Sets thread, outcome and waiter of *out for a thread that can be picked. It times out if it can do nothing else, and
 * with probability 1/8 if it can also complete. For a signal or wake, one of the waiting threads is drawn, all with the
 * same probability.
 */
void rfs_candidates_choose(struct rfs_candidates *list, const struct rfs_view *view,
			   const struct rfs_thread_view *thread, struct rfs_rng *rng, struct rfs_choice *out);

#endif
