/*
 * rounds.h - phases confirm and explore, in rounds. In each round every arm (a pair, a predicted deadlock, or a
 * sampler) has a turn of a few runs (arm.h). The end of a round plans the next one, from counts only. So the
 * results do not depend on --jobs.
 *
 * Pairs that runs with a detector bring become arms in the next round. Their statements become points at which
 * exploration switches threads. Within a round these points are fixed.
 */
#ifndef RFS_ROUNDS_H
#define RFS_ROUNDS_H

#include <stdbool.h>

struct rfs_campaign;

/* explores: with phase explore. At the end, all pairs have their verdict and all findings are replayed. */
void rfs_rounds(struct rfs_campaign *c, bool explores);

#endif
