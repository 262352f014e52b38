/*
 * confirm.h - phase 2: each pair under RaceFuzzer (Sen, PLDI 2008), which creates the race where it can and resolves it
 * at random.
 *
 * A failure of a run that created the race is put down to the race by a counterfactual: the same run, replayed up to a
 * race before the failure and resolved the other way there; where at least one of five such replays passes, the race
 * made the difference. Which race it was is not known, so they are taken in turn, the last one first, and where there
 * are fewer than five, again with other draws behind the coin: of `x++` in two threads, the race that loses the update
 * is that of one's write with the other's read; the race of both writes that follows cannot mend it, however it goes
 * on.
 */
#ifndef RFS_CONFIRM_H
#define RFS_CONFIRM_H

struct rfs_campaign;

void rfs_confirm(struct rfs_campaign *c);

#endif
