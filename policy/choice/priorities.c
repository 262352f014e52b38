/* priorities.c - draws a priority for each thread, and new ones after an operation that depends on the next one. */
#include "policy/choice/priorities.h"

#include <stdbool.h>
#include <stdlib.h>

#include "policy/core/alloc.h"
#include "policy/core/dependence.h"
#include "policy/policy.h"

struct rfs_pending {
	bool drawn;
	uint64_t priority, since; /* valid if drawn; since: view->step when it was drawn */
};

static struct rfs_pending *priorities_of(struct rfs_priorities *priorities, int thread)
{
	priorities->pending = rfs_policy_grow(priorities->pending, &priorities->capacity, (size_t)thread + 1,
					      sizeof(*priorities->pending));
	return &priorities->pending[thread];
}

const struct rfs_thread_view *rfs_priorities_highest(struct rfs_priorities *priorities, const struct rfs_view *view,
						     const struct rfs_candidates *candidates, struct rfs_rng *rng)
{
	const struct rfs_thread_view *best = NULL;

	for (size_t i = 0; i < candidates->n; i++) {
		const struct rfs_thread_view *t = candidates->threads[i];
		struct rfs_pending *pending = priorities_of(priorities, t->thread);

		if (!pending->drawn || view->step - pending->since >= priorities->patience)
			*pending = (struct rfs_pending){true, rfs_rng_next(rng), view->step};
		if (!best || pending->priority > priorities_of(priorities, best->thread)->priority)
			best = t;
	}
	return best;
}

void rfs_priorities_executes(struct rfs_priorities *priorities, const struct rfs_view *view,
			     const struct rfs_thread_view *thread)
{
	priorities_of(priorities, thread->thread)->drawn = false; /* its next operation needs a new priority */
	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *other = &view->threads[i];

		if (other == thread || rfs_candidate_class(other) == RFS_CANDIDATE_NONE)
			continue;
		if (thread->next.kind == RFS_OP_YIELD ||
		    rfs_dependent(thread->thread, &thread->next, other->thread, &other->next))
			priorities_of(priorities, other->thread)->drawn = false;
	}
}

void rfs_priorities_release(struct rfs_priorities *priorities)
{
	free(priorities->pending);
	*priorities = (struct rfs_priorities){0};
}
