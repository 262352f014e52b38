/* tree_sampling.c - plans of a tree that grows as its runs are committed. */
#include "supervisor/campaign/phases/tree_sampling.h"

#include <stdlib.h>

#include "policy/dpor/dpor_run.h"
#include "policy/dpor/dpor_tree.h"
#include "policy/registry.h"

/* So many trees at most. If the program differs from run to run, more of them are of no use. */
#define TREES 4

bool rfs_tree_sampling_is_for(const struct rfs_policy_ops *policy)
{
	return policy && policy == rfs_policy_find("dpor");
}

/* False if the tree has no plan left. */
static bool tree_sampling_plan_run(struct rfs_tree_sampling *sampling, struct rfs_blob *plan)
{
	sampling->known = rfs_dpor_waiting(sampling->tree);
	if (sampling->next == sampling->n_plans) {
		sampling->next = 0;
		sampling->n_plans = rfs_dpor_next(sampling->tree, sampling->plans, RFS_TREE_PLANS);
	}
	if (!sampling->n_plans)
		return false;
	*plan = sampling->plans[sampling->next++];
	return true;
}

static void end_tree(struct rfs_tree_sampling *sampling)
{
	rfs_dpor_tree_free(sampling->tree);
	while (sampling->next < sampling->n_plans)
		free(sampling->plans[sampling->next++].data);
}

static void begin_tree(struct rfs_tree_sampling *sampling)
{
	end_tree(sampling);
	sampling->tree = rfs_dpor_tree_new(RFS_DPOR_UNBOUNDED);
	sampling->begun++;
}

void rfs_tree_sampling_begin(struct rfs_tree_sampling *sampling, const struct rfs_site_set *sites,
			     struct rfs_blob *plan)
{
	sampling->sites = sites;
	begin_tree(sampling);
	(void)tree_sampling_plan_run(sampling, plan);
}

/* Such a run says nothing about the schedules behind its end, and comparing its operations takes long. */
static bool tree_sampling_was_cut(const struct rfs_blob *saved)
{
	struct rfs_dpor_trace trace;
	bool cut;

	if (rfs_dpor_trace_read(saved, &trace) != 0)
		return false;
	cut = trace.cut;
	rfs_dpor_trace_release(&trace);
	return cut;
}

/* False if the run did not follow its plan. */
static bool add_run(struct rfs_tree_sampling *sampling, const struct rfs_blob *saved)
{
	struct rfs_dpor_counts counts;

	if (rfs_dpor_add(sampling->tree, saved) != 0)
		return false;
	rfs_dpor_counts(sampling->tree, &counts);
	return !counts.strayed;
}

bool rfs_tree_sampling_next(struct rfs_tree_sampling *sampling, const struct rfs_blob *saved, struct rfs_blob *plan)
{
	*plan = (struct rfs_blob){0};
	if (sampling->ended || tree_sampling_was_cut(saved)) {
		sampling->ended = true;
	} else if (!add_run(sampling, saved)) {
		sampling->ended = sampling->begun == TREES;
		if (!sampling->ended)
			begin_tree(sampling);
	}
	if (!sampling->ended)
		sampling->ended = !tree_sampling_plan_run(sampling, plan);
	return !sampling->ended;
}

void rfs_tree_sampling_release(struct rfs_tree_sampling *sampling)
{
	end_tree(sampling);
	*sampling = (struct rfs_tree_sampling){0};
}
