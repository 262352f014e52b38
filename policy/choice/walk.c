/* walk.c - draws a power of two as the weight of a new thread. Each draw of a thread lowers its weight by one. */
#include "policy/choice/walk.h"

#include <stdlib.h>

#include "policy/core/alloc.h"
#include "policy/policy.h"

/* The largest weight is 2^(WEIGHTS - 1). */
#define WEIGHTS 7

size_t rfs_walk_draw(struct rfs_walk *walk, const struct rfs_candidates *list, struct rfs_rng *rng)
{
	uint64_t total = 0, chosen, *weight = NULL;

	if (list->n == 1)
		return 0;
	walk->weights = rfs_policy_grow(walk->weights, &walk->capacity, (size_t)list->threads[list->n - 1]->thread + 1,
					sizeof(*walk->weights));
	for (size_t i = 0; i < list->n; i++) {
		weight = &walk->weights[list->threads[i]->thread];
		if (!*weight)
			*weight = UINT64_C(1) << rfs_rng_below(rng, WEIGHTS);
		total += *weight;
	}
	chosen = rfs_rng_below(rng, total);
	for (size_t i = 0;; i++) {
		weight = &walk->weights[list->threads[i]->thread];
		if (chosen < *weight) {
			*weight -= *weight > 1;
			return i;
		}
		chosen -= *weight;
	}
}

void rfs_walk_release(struct rfs_walk *walk)
{
	free(walk->weights);
}
