/*
 * confirm.h - phase confirm: runs each pair under RaceFuzzer (Sen, PLDI 2008), which creates the race if possible, and
 * resolves it at random.
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
#ifndef RFS_CONFIRM_H
#define RFS_CONFIRM_H

struct rfs_campaign;

void rfs_confirm(struct rfs_campaign *c);

#endif
