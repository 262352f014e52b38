/* walk.h - draws threads as SURW does, in proportion to weights that shrink, although nobody knows the weights. */
#ifndef RFS_WALK_H
#define RFS_WALK_H

#include <stddef.h>
#include <stdint.h>

#include "policy/choice/candidates.h"
#include "policy/core/rng.h"

/* Zeroed memory: no weight is drawn yet. rfs_walk_release() frees the memory inside. */
struct rfs_walk {
	uint64_t *weights; /* by thread number; 0: not drawn yet */
	size_t capacity;
};

/*
 * Draws a candidate in proportion to the weights, and lets its weight shrink. The weight of a new thread is drawn
 * before. Draws nothing if there is one candidate only. Returns the index in the list.
 */
size_t rfs_walk_draw(struct rfs_walk *walk, const struct rfs_candidates *list, struct rfs_rng *rng);
void rfs_walk_release(struct rfs_walk *walk);

#endif
