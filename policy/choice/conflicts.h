/*
 * conflicts.h - the memory and objects that several threads of a run used in a conflicting way: one of them changed it.
 * The policy sweep takes this from run to run, so it is a small set that may contain too much, never too little. The
 * policy turns takes the sites of the accesses to such memory.
 */
#ifndef RFS_POLICY_CONFLICTS_H
#define RFS_POLICY_CONFLICTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/policy.h"

#define RFS_KEY_SET_WORDS 16

/* A Bloom filter with two bits for each key. Zeroed memory is an empty set. */
struct rfs_key_set {
	uint64_t words[RFS_KEY_SET_WORDS];
};

/* One key for two numbers; never 0. */
uint64_t rfs_key(uint64_t a, uint64_t b);
void rfs_key_set_add(struct rfs_key_set *set, uint64_t key);
bool rfs_key_set_has(const struct rfs_key_set *set, uint64_t key);

/* Zeroed memory: nothing was used. rfs_conflicts_release() frees the memory inside. */
struct rfs_conflicts {
	struct rfs_used_thing *things; /* uthash */
	bool with_sites;	       /* set before the first operation: rfs_conflicts_sites() will be called */
};

void rfs_conflicts_note(struct rfs_conflicts *conflicts, int thread, const struct rfs_op *op);
/* Adds the keys of all that was used in a conflicting way. */
void rfs_conflicts_collect(const struct rfs_conflicts *conflicts, struct rfs_key_set *out);
/* The sites of all accesses to memory that was used in a conflicting way, ascending, each once. Caller frees. */
rfs_site *rfs_conflicts_sites(const struct rfs_conflicts *conflicts, size_t *n);
void rfs_conflicts_release(struct rfs_conflicts *conflicts);

/* Whether the operation uses something in the set. */
bool rfs_conflicts_in(const struct rfs_key_set *set, const struct rfs_op *op);

#endif
