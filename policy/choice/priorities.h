/*
 * priorities.h - a random priority for the next operation of each thread, as partial order sampling has it (Yuan, Yang
 * & Gu, Partial Order Aware Concurrency Sampling, CAV 2018, algorithm 2).
 *
 * The candidate with the highest priority is chosen. Operations that depend on an executed one get new priorities. Two
 * rules prevent a spinning thread from blocking the others forever. An operation that was not executed for `patience`
 * operations gets a new priority. A yield gives all other threads new priorities.
 */
#ifndef RFS_PRIORITIES_H
#define RFS_PRIORITIES_H

#include <stddef.h>
#include <stdint.h>

#include "policy/choice/candidates.h"
#include "policy/core/rng.h"

/* Even if all other operations get new priorities again and again, an operation waits longer than this only with
 * probability 1/1000. So the limit rarely matters. */
#define RFS_DEFAULT_PATIENCE 1000

/* Zeroed memory, apart from patience: no priority was drawn. rfs_priorities_release() frees the memory inside. */
struct rfs_priorities {
	struct rfs_pending *pending; /* by thread number; about the thread's next operation */
	size_t capacity;
	uint64_t patience;
};

/* Draws a priority for each candidate that has none, in their order. NULL: there is no candidate. */
const struct rfs_thread_view *rfs_priorities_highest(struct rfs_priorities *priorities, const struct rfs_view *view,
						     const struct rfs_candidates *candidates, struct rfs_rng *rng);
/* The thread of the view executes its next operation. */
void rfs_priorities_executes(struct rfs_priorities *priorities, const struct rfs_view *view,
			     const struct rfs_thread_view *thread);
void rfs_priorities_release(struct rfs_priorities *priorities);

#endif
