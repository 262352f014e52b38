/*
 * judge.h - what the runs of a pair mean, once they are made: replays, attribution, verdict.
 *
 * If a run that created the race fails, the failure may have another cause than the race. So it is tested whether the
 * order of a race matters (harm.h). The result of one test counts less, the more failures are tested. So a pair with
 * failures gets its verdict when all pairs have been tested.
 */
#ifndef RFS_JUDGE_H
#define RFS_JUDGE_H

#include <stddef.h>

struct rfs_campaign;
struct rfs_pair;

/* Replays the runs that the report would show of the pair, unless they were replayed. */
void rfs_judge_replay(struct rfs_campaign *c, struct rfs_pair *pair);
/*
 * Replays and tests the runs of a pair (its number from 0), unless that was done or the pair had no run. A pair without
 * failures gets its verdict.
 */
void rfs_judge(struct rfs_campaign *c, size_t number);
/* Replays and tests the failures that are new since the last call. So the end needs no time for them. */
void rfs_judge_new(struct rfs_campaign *c);
/* Decides the verdicts on all other pairs that were judged. */
void rfs_judge_end(struct rfs_campaign *c);
/*
 * All of this for the whole campaign, and the tests of other failures. Everything that was found is replayed first, and
 * tested and simplified later. Under a budget, the tests end early enough for the replays of their failures, and the
 * replays end early enough for the stories.
 */
void rfs_judge_all(struct rfs_campaign *c);

#endif
