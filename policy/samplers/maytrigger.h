/*
 * maytrigger.h - the may-trigger relation of DrFinder (Cai & Cao, FSE 2015). mt(f, c) means: some thread in function f
 * was seen to acquire a lock of class c before f returned.
 *
 * The relation grows from run to run. What a run finds is used from the next run on, not in the same run.
 */
#ifndef RFS_MAYTRIGGER_H
#define RFS_MAYTRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rfs_blob;
struct rfs_maytrigger_class;
struct rfs_maytrigger_pair;

/* Zeroed memory is the empty relation. rfs_maytrigger_release() frees the memory inside. */
struct rfs_maytrigger {
	struct rfs_maytrigger_pair *pairs;     /* uthash */
	struct rfs_maytrigger_class *triggers; /* uthash; the classes that at least one function is known to trigger */
	size_t n;
};

/* Adds the pairs that an earlier run saved. Returns 0, or -EINVAL if the data are invalid. */
int rfs_maytrigger_load(struct rfs_maytrigger *relation, const struct rfs_blob *blob)
	__attribute__((warn_unused_result));

/* Saves the relation for the next run. Returns 0 or -ENOMEM. Caller frees blob->data. */
int rfs_maytrigger_save(const struct rfs_maytrigger *relation, struct rfs_blob *blob)
	__attribute__((warn_unused_result));

/* Adds a pair found in this run. */
void rfs_maytrigger_add(struct rfs_maytrigger *relation, uint64_t function, uint64_t class);

/* has: whether earlier runs found mt(function, class). any: whether they found mt(f, class) for some f. */
bool rfs_maytrigger_has(const struct rfs_maytrigger *relation, uint64_t function, uint64_t class);
bool rfs_maytrigger_any(const struct rfs_maytrigger *relation, uint64_t class);

void rfs_maytrigger_release(struct rfs_maytrigger *relation);

#endif
