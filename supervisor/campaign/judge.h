/*
 * judge.h - what the runs of a pair mean, once they are made: replays, attribution, verdict.
 *
 * If a run that created the race fails, the failure may have another cause than the race. So the run is made again up
 * to a race that it created before the failure. This race is resolved the other way: the other thread goes first. If at
 * least one of five such runs passes, the failure is attributed to the race.
 *
 * A run may have created several races, and it is not known which race matters. The races are tried in turn, the last
 * race first. If there are fewer than five, they are tried again with other random draws after the flip. An earlier
 * race can matter: if two threads execute `x++`, the update is lost in the race between a write and the other thread's
 * read. The race between the two writes comes later, and neither order of the writes restores the update.
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
