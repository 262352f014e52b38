#include "supervisor/campaign/sampling.h"

#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/campaign/campaign-priv.h"
#include "supervisor/campaign/cycles.h"
#include "supervisor/campaign/executions.h"
#include "supervisor/campaign/finding.h"
#include "supervisor/campaign/options.h"
#include "supervisor/campaign/orders.h"
#include "supervisor/campaign/pair_list.h"
#include "supervisor/campaign/samplers.h"
#include "supervisor/campaign/saved_run.h"
#include "supervisor/campaign/verdict.h"
#include "supervisor/campaign/violations.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"

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
		free(sampling->blob.data);
	}
	free(samplings->list);
	*samplings = (struct rfs_samplings){0};
}

void rfs_sampling_make(const struct rfs_campaign *c, const struct rfs_sampling *sampling, const char *label, uint64_t i,
		       enum rfs_points points, struct rfs_execution *out)
{
	const struct rfs_sampler *sampler = sampling->sampler;

	rfs_campaign_execution(c, label, i, sampler->policy, points, out);
	out->policy_path = sampler->path;
	out->spec.policy_options = sampler->options;
	if (sampling->blob.data)
		out->spec.policy_blob = &sampling->blob;
}

static void add_stats(struct rfs_sampling *sampling, const struct rfs_run_result *result)
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

bool rfs_sampling_done(struct rfs_campaign *c, struct rfs_sampling *sampling, const char *phase, uint64_t i,
		       const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct rfs_blob saved = result->blob;
	struct rfs_signature signature;
	bool failed = rfs_run_failed(result, &signature), kept;

	result->blob = (struct rfs_blob){0};
	rfs_campaign_note(c, execution, result);
	sampling->runs++;
	sampling->failures += failed;
	if (failed && !sampling->first_failure)
		sampling->first_failure = i + 1;
	if (execution->spec.orders && rfs_run_conclusive(result))
		sampling->arm.news += rfs_orders_add(&sampling->orders, result->order);
	add_stats(sampling, result);
	sampling->arm.news += rfs_pair_list_join(&c->pairs, c->symbols, result);
	rfs_cycle_list_join(&c->cycles, result);
	rfs_violation_list_join(&c->violations, result);
	rfs_campaign_failed(c, result);
	/*
	 * rfs_finding_note() copies the blob that the execution started from, so it is called before the blob is freed
	 */
	kept = rfs_finding_note(c, phase, execution, result);
	sampling->arm.news += kept;
	rfs_campaign_progress(c, failed);
	if (!kept && c->options->keep_records)
		kept = rfs_saved_run_save(c, execution, result);
	free(sampling->blob.data);
	sampling->blob = saved;
	return kept;
}

bool rfs_sampling_alone(const struct rfs_sampling *sampling)
{
	return rfs_sampler_is_native(sampling->sampler) || sampling->sampler->policy->save;
}

static bool is_of(const struct rfs_sampling *sampling, const char *policy)
{
	return sampling->sampler->policy && sampling->sampler->policy == rfs_policy_find(policy);
}

bool rfs_sampling_learns(const struct rfs_sampling *sampling)
{
	return is_of(sampling, "rff");
}

bool rfs_sampling_lists(const struct rfs_sampling *sampling)
{
	return is_of(sampling, "sweep");
}

void rfs_sampling_batch(struct rfs_campaign *c, const struct rfs_sampling *sampling, struct rfs_batch *batch)
{
	if (rfs_sampler_is_native(sampling->sampler))
		batch->run = c->settings.plain;
	else
		batch->one_by_one = sampling->sampler->policy->save != NULL;
	rfs_campaign_batch(c, batch);
}
