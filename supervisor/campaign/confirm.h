/*
 * confirm.h - phase confirm: runs each pair under RaceFuzzer (Sen, PLDI 2008), which tries to create the race. When it
 * has created the race, it lets one of the two threads go first, at random.
 *
 * If such a run fails, the failure may have another cause than the race. So the run is made again up to a race that it
 * created before the failure. This race is resolved the other way: the other thread goes first. If at least one of five
 * such runs passes, the failure is attributed to the race.
 *
 * A run may have created several races, and it is not known which race matters. The races are tried in turn, the last
 * race first. If there are fewer than five, they are tried again with other random draws after the flip. An earlier
 * race can matter: if two threads execute `x++`, the update is lost in the race between a write and the other thread's
 * read. The race between the two writes comes later, and neither order of the writes restores the update.
 */
#ifndef RFS_CONFIRM_H
#define RFS_CONFIRM_H

struct rfs_campaign;

void rfs_confirm(struct rfs_campaign *c);

#endif
