/*
 * maytrigger.h - the may-trigger relation of DrFinder (Cai & Cao, FSE 2015): mt(f, c) says that a thread in function f
 * was seen to acquire a lock of class c before it came back from f.
 *
 * It grows from run to run: what a run finds is used from the next one on, not in that run itself.
 */
#ifndef RFS_MAYTRIGGER_H
#define RFS_MAYTRIGGER_H

#include "policy/policy.h"

struct rfs_maytrigger_pair;
struct rfs_maytrigger_class;

/* Zeroed memory is the empty relation; rfs_maytrigger_release() frees what it grew. */
struct rfs_maytrigger {
	struct rfs_maytrigger_pair *pairs;     /* uthash */
	struct rfs_maytrigger_class *triggers; /* uthash: the classes that some function is known to trigger */
	size_t n;
};

/* Reads and adds what a run saved. 0, or -EINVAL if the data are not valid. */
int rfs_maytrigger_load(struct rfs_maytrigger *relation, const struct rfs_blob *blob)
	__attribute__((warn_unused_result));

/* Saves the relation for the next run. 0 or -ENOMEM; caller frees blob->data. */
int rfs_maytrigger_save(const struct rfs_maytrigger *relation, struct rfs_blob *blob)
	__attribute__((warn_unused_result));

/* Adds a pair found in this run. */
void rfs_maytrigger_add(struct rfs_maytrigger *relation, uint64_t function, uint64_t class);

/* Whether earlier runs found mt(function, class); or mt(f, class) for any f. */
bool rfs_maytrigger_has(const struct rfs_maytrigger *relation, uint64_t function, uint64_t class);
bool rfs_maytrigger_any(const struct rfs_maytrigger *relation, uint64_t class);

void rfs_maytrigger_release(struct rfs_maytrigger *relation);

#endif
