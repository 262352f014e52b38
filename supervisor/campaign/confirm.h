/*
 * confirm.h - phase confirm: runs each pair under RaceFuzzer (Sen, PLDI 2008), which tries to create the race. When it
 * has created the race, it lets one of the two threads go first, at random.
 *
 * If such a run fails, the failure may have another cause than the race. So the run is made again up to a race before
 * the failure, and this race is resolved the other way: the other thread goes first. If at least one of five such runs
 * passes, the failure is attributed to the race.
 *
 * A run may have created several races, and which one matters is not known. They are tried in turn, the last one
 * first. If there are fewer than five, the same races are tried again with other random draws after the flip. Several
 * races can matter: if two threads execute `x++`, the update is lost in the race of a write with the other thread's
 * read. In the race of the two writes, which comes later, neither order can restore it.
 */
#ifndef RFS_CONFIRM_H
#define RFS_CONFIRM_H

struct rfs_campaign;

void rfs_confirm(struct rfs_campaign *c);

#endif
