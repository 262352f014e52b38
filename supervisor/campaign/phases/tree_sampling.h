/*
 * tree_sampling.h - the runs of the sampler dpor: schedules that differ, each one once (policy/dpor/dpor_tree.h,
 * without a bound).
 *
 * In a small program, a few runs of this kind show more than as many random ones, and they may be all there are. Phase
 * prove (prove.h) does the same for a proof, in rounds and without a limit.
 *
 * All runs have one seed and stop at the same places, because the tree needs the same program in each run. If one does
 * not follow its plan nevertheless, because runs have shown something new about the program, a new tree begins, which
 * executes some schedules again. After a few trees, or if a run was too long for the tree, there are no more runs.
 */
#ifndef RFS_TREE_SAMPLING_H
#define RFS_TREE_SAMPLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/operations.h"
#include "policy/results.h"

/* So many runs are planned at a time. The deepest branches of the tree come first, so more plans differ more. */
#define RFS_TREE_PLANS 32

struct rfs_dpor_tree;
struct rfs_policy_ops;
struct rfs_site_set;

/* Zeroed: the sampler does not walk a tree. */
struct rfs_tree_sampling {
	struct rfs_dpor_tree *tree;	       /* owned; NULL: none */
	const struct rfs_site_set *sites;      /* where threads stop, in all runs; borrowed */
	struct rfs_blob plans[RFS_TREE_PLANS]; /* of the next runs; those from `next` on are owned */
	size_t next, n_plans;
	uint64_t known; /* how many runs of the tree are known to be missing */
	unsigned begun; /* how many trees so far */
	bool ended;	/* no run is left */
};

/* True if runs of this policy follow the plans of a tree. NULL: uncontrolled runs. */
bool rfs_tree_sampling_is_for(const struct rfs_policy_ops *policy);
/* Plans the first run. sites must live as long as the campaign. Writes the plan to `plan`, whose data the caller frees.
 */
void rfs_tree_sampling_begin(struct rfs_tree_sampling *sampling, const struct rfs_site_set *sites,
			     struct rfs_blob *plan);
/* Takes what the last run saved, and plans the next one as rfs_tree_sampling_begin() does. False if none is left. */
bool rfs_tree_sampling_next(struct rfs_tree_sampling *sampling, const struct rfs_blob *saved, struct rfs_blob *plan);
void rfs_tree_sampling_release(struct rfs_tree_sampling *sampling);

#endif
