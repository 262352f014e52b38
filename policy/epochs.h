/*
 * epochs.h - the accesses of the past that a detector of the happens-before relation must remember (Flanagan & Freund,
 * FastTrack, PLDI 2009, section 3).
 *
 * An epoch is one access: a thread and its time. A place mostly needs two, of the last write and of the last read; the
 * reads that no order relates, and the writes that race, stand side by side, as many as there are threads at most (the
 * paper's adaptive read clocks, here as a list of the times that are not 0). An epoch e makes way for a new access n
 * that it happens before, if n writes where e does, and is plain where e is: whatever races with e later races with n.
 * So each access is reported with at least one of those that it races with, also after a first race at that place.
 *
 * Places are bytes: those of a granule of 8 that were always accessed together share their epochs. A page that was
 * only ever accessed as a whole (a large memset, memcpy or free) is one place.
 */
#ifndef RFS_EPOCHS_H
#define RFS_EPOCHS_H

#include "policy/history.h"
#include "policy/policy.h"
#include "policy/vclock.h"

struct rfs_epochs;

/* race is called for each race found, with arg; it may be called for one pair of sites many times. Caller frees with
 * rfs_epochs_free(). */
struct rfs_epochs *rfs_epochs_new(rfs_history_race *race, void *arg);
void rfs_epochs_free(struct rfs_epochs *epochs);

/* An access, and what its thread knows of the others; knows has access->time for access->thread. */
void rfs_epochs_add(struct rfs_epochs *epochs, const struct rfs_history_access *access, const struct rfs_vclock *knows);

/* Forgets what was accessed in this memory; size > 0. */
void rfs_epochs_reset(struct rfs_epochs *epochs, rfs_addr address, uint64_t size);

#endif
