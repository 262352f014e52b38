/*
 * judge.h - what the runs of a pair mean, once they are made: replays, attribution, verdict.
 *
 * A failure of a run that created the race is attributed to the race by a counterfactual. The run is replayed up to a
 * race before the failure, and this race is resolved the other way. If at least one of five such replays passes, the
 * race caused the failure.
 *
 * It is not known which race it was, so the races are tried in turn, the last one first. If there are fewer than five,
 * they are tried again with other random draws after the coin. Example: in `x++` of two threads, the update is lost by
 * the race of one thread's write with the other's read. The race of both writes follows; resolving it either way cannot
 * restore the update.
 */
#ifndef RFS_JUDGE_H
#define RFS_JUDGE_H

#include <stddef.h>

struct rfs_campaign;
struct rfs_pair;

/* Replays the runs that the report would show of the pair, unless they were replayed. */
void rfs_judge_replay(struct rfs_campaign *c, struct rfs_pair *pair);
/* Decides the verdict on a pair (its number from 0), unless it was decided or the pair had no run. */
void rfs_judge(struct rfs_campaign *c, size_t number);

#endif
