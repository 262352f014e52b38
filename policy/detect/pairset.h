/*
 * pairset.h - the racing pairs that a detector has found: each unordered pair of sites once, with the first two
 * accesses that raced there.
 */
#ifndef RFS_PAIRSET_H
#define RFS_PAIRSET_H

#include "policy/core/lockset.h"
#include "policy/shadow/history.h"

struct rfs_pair;
struct rfs_race_access;

/* Zeroed memory is the empty set. rfs_pairset_release() frees the memory inside. */
struct rfs_pairset {
	struct rfs_pair *pairs; /* uthash */
};

void rfs_pairset_add(struct rfs_pairset *set, const struct rfs_history_access *earlier,
		     const struct rfs_history_access *later);

/* Calls emit for each pair, sorted by site (see rfs_detector_ops.report). */
void rfs_pairset_report(struct rfs_pairset *set, struct rfs_locksets *locksets,
			void (*emit)(void *arg, const struct rfs_race_access *a, const struct rfs_race_access *b),
			void *arg);

void rfs_pairset_release(struct rfs_pairset *set);

#endif
