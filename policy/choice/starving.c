/*
 * starving.c - counts for each thread how often it became able to run since its last turn. The policy decides what
 * follows.
 */
#include "policy/choice/starving.h"

#include <stdbool.h>
#include <stdlib.h>

#include "policy/choice/candidates.h"
#include "policy/core/alloc.h"
#include "policy/policy.h"

struct rfs_chances {
	bool seen, could_run; /* could_run: at the last pick */
	uint64_t since;	      /* view->step when it was first seen, or after its last operation */
	unsigned n;	      /* how often it has become able to run since then */
};

static struct rfs_chances *starving_of(struct rfs_starving *starving, int thread)
{
	starving->threads =
		rfs_policy_grow(starving->threads, &starving->capacity, (size_t)thread + 1, sizeof(*starving->threads));
	return &starving->threads[thread];
}

const struct rfs_thread_view *rfs_starving_first(struct rfs_starving *starving, const struct rfs_view *view)
{
	const struct rfs_thread_view *first = NULL;

	if (starving->last)
		starving_of(starving, starving->last - 1)->since = view->step;
	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *t = &view->threads[i];
		const enum rfs_candidate_class class = rfs_candidate_class(t);
		struct rfs_chances *chances = starving_of(starving, t->thread);

		if (!chances->seen)
			*chances = (struct rfs_chances){.seen = true, .since = view->step};
		if (class != RFS_CANDIDATE_NONE && !chances->could_run)
			chances->n++;
		chances->could_run = class != RFS_CANDIDATE_NONE;
		if (!first && class == RFS_CANDIDATE_AWAKE && chances->n >= RFS_STARVING_CHANCES &&
		    view->step - chances->since >= starving->patience)
			first = t;
	}
	return first;
}

void rfs_starving_picked(struct rfs_starving *starving, int thread)
{
	starving_of(starving, thread)->n = 0;
	starving->last = thread + 1;
}

void rfs_starving_release(struct rfs_starving *starving)
{
	free(starving->threads);
	*starving = (struct rfs_starving){0};
}
