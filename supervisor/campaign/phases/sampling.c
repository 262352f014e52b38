/* sampling.c - specs and counts of the runs of one sampler. The phases decide how many there are. */
#include "supervisor/campaign/phases/sampling.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/alloc.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/failures/saved_run.h"
#include "supervisor/campaign/phases/orders.h"
#include "supervisor/campaign/predicted/cycles.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/predicted/violations.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/samplers.h"
#include "supervisor/campaign/settings/settings.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"

#define LEARNER_WEIGHT 2
/* A tree that has so few known runs left may soon end, and then it has shown everything. */
#define SMALL_TREE 32
#define SMALL_TREE_WEIGHT 4

void rfs_samplings_new(struct rfs_samplings *samplings, const struct rfs_samplers *samplers)
{
	samplings->list = xcalloc(samplers->n ? samplers->n : 1, sizeof(*samplings->list));
	samplings->n = samplers->n;
	for (size_t i = 0; i < samplers->n; i++)
		samplings->list[i].sampler = &samplers->list[i];
}

void rfs_samplings_release(struct rfs_samplings *samplings)
{
	for (size_t i = 0; i < samplings->n; i++) {
		struct rfs_sampling *sampling = &samplings->list[i];

		rfs_orders_release(&sampling->orders);
		rfs_run_stats_release(&sampling->stats);
		rfs_tree_sampling_release(&sampling->tree);
		free(sampling->blob.data);
	}
	free(samplings->list);
	*samplings = (struct rfs_samplings){0};
}

void rfs_sampling_make(const struct rfs_campaign *c, const struct rfs_sampling *sampling, const char *label, uint64_t i,
		       enum rfs_points points, struct rfs_execution *out)
{
	const struct rfs_sampler *sampler = sampling->sampler;

	rfs_campaign_execution(c, label, sampling->tree.tree ? 0 : i, sampler->policy, points, out);
	if (sampling->tree.tree)
		snprintf(out->name, sizeof(out->name), "%s-%" PRIu64, label, i + 1);
	out->policy_path = sampler->path;
	out->spec.policy_options = sampler->options;
	if (sampling->blob.data)
		out->spec.policy_blob = &sampling->blob;
}

static void sampling_add_stats(struct rfs_sampling *sampling, const struct rfs_run_result *result)
{
	for (size_t i = 0; i < result->policy_stats.n; i++) {
		const struct rfs_run_stat *stat = &result->policy_stats.list[i];
		size_t k = 0;

		while (k < sampling->stats.n && strcmp(sampling->stats.list[k].key, stat->key) != 0)
			k++;
		if (k == sampling->stats.n)
			rfs_run_stats_add(&sampling->stats, stat->key, stat->value);
		else
			sampling->stats.list[k].value += stat->value;
	}
}

/* What the next run begins with. */
static void prepare_next(struct rfs_campaign *c, struct rfs_sampling *sampling, struct rfs_blob *saved)
{
	struct rfs_blob plan;

	free(sampling->blob.data);
	sampling->blob = *saved;
	if (!sampling->tree.tree)
		return;
	if (!rfs_tree_sampling_next(&sampling->tree, saved, &plan) && rfs_arm_left(&sampling->arm)) {
		sampling->unused = sampling->arm.planned - sampling->arm.done;
		sampling->arm.planned = sampling->arm.done;
		c->phases->list[c->phases->now].planned -= sampling->unused;
	}
	free(saved->data);
	sampling->blob = plan;
}

bool rfs_sampling_done(struct rfs_campaign *c, struct rfs_sampling *sampling, const char *phase, uint64_t i,
		       const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct rfs_blob saved = result->blob;
	const size_t known = c->findings->n;
	struct rfs_signature signature;
	/* a tree contains schedules in which threads spin for long */
	const bool spins = sampling->tree.tree && result->end == RFS_END_HANG;
	bool failed = !spins && rfs_run_failed(result, &signature), kept = false;

	result->blob = (struct rfs_blob){0};
	rfs_campaign_note(c, execution, result);
	sampling->runs++;
	sampling->failures += failed;
	if (failed && !sampling->first_failure)
		sampling->first_failure = i + 1;
	if (execution->spec.wanted.orders && rfs_run_conclusive(result))
		sampling->arm.news += rfs_orders_add(&sampling->orders, result->order);
	sampling_add_stats(sampling, result);
	sampling->arm.news += rfs_pair_list_join(c->pairs, c->symbols, result);
	rfs_cycle_list_join(c->cycles, result);
	rfs_violation_list_join(c->violations, result);
	if (!spins)
		rfs_campaign_failed(c, result);
	/*
	 * rfs_finding_note() copies the blob that the execution started from, so it is called before the blob is freed
	 */
	if (!spins)
		kept = rfs_finding_note(c, phase, execution, result);
	sampling->arm.news += c->findings->n > known;
	rfs_campaign_progress(c, failed);
	if (!kept && c->options->keep_records)
		kept = rfs_saved_run_save(c, execution, result);
	prepare_next(c, sampling, &saved);
	return kept;
}

uint64_t rfs_samplings_share(struct rfs_samplings *samplings)
{
	uint64_t unused = 0;
	size_t others = 0, k = 0;

	for (size_t i = 0; i < samplings->n; i++) {
		unused += samplings->list[i].unused;
		others += !samplings->list[i].tree.tree;
	}
	if (!others)
		return 0;
	for (size_t i = 0; i < samplings->n; i++) {
		samplings->list[i].unused = 0;
		if (!samplings->list[i].tree.tree)
			samplings->list[i].arm.planned += rfs_arm_share(unused, k++, others);
	}
	return unused;
}

uint64_t rfs_sampling_batch_size(const struct rfs_sampling *sampling, uint64_t most)
{
	const uint64_t left = sampling->arm.planned - sampling->arm.done, n = most < left ? most : left;

	return sampling->tree.tree && n ? 1 : n;
}

bool rfs_sampling_alone(const struct rfs_sampling *sampling)
{
	return rfs_sampler_is_native(sampling->sampler) || sampling->sampler->policy->save;
}

bool rfs_sampling_is_of(const struct rfs_sampling *sampling, const char *policy)
{
	return sampling->sampler->policy && sampling->sampler->policy == rfs_policy_find(policy);
}

bool rfs_sampling_tree_is_large(const struct rfs_sampling *sampling)
{
	return sampling->tree.tree && sampling->tree.known > SMALL_TREE;
}

unsigned rfs_sampling_weight(const struct rfs_sampling *sampling)
{
	if (rfs_sampling_is_of(sampling, "rff"))
		return LEARNER_WEIGHT;
	return sampling->tree.tree && !rfs_sampling_tree_is_large(sampling) ? SMALL_TREE_WEIGHT : 1;
}

bool rfs_sampling_lists(const struct rfs_sampling *sampling)
{
	return rfs_sampling_is_of(sampling, "sweep");
}

void rfs_sampling_batch(struct rfs_campaign *c, const struct rfs_sampling *sampling, struct rfs_batch *batch)
{
	if (rfs_sampler_is_native(sampling->sampler))
		batch->run = c->settings->plain;
	else
		batch->one_by_one = sampling->sampler->policy->save != NULL;
	rfs_campaign_batch(c, batch);
}
