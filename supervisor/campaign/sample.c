/*
 * Sampling: what the runs of one sampler have in common, in phase 3 and in the sampling mode, which is also here.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/campaign/campaign-priv.h"
#include "supervisor/campaign/orders.h"
#include "supervisor/campaign/samplers.h"
#include "supervisor/campaign/verdict.h"
#include "supervisor/cli/options.h"
#include "supervisor/pool/job.h"
#include "supervisor/state/run_result.h"
#include "supervisor/state/run_spec.h"

/* Runs between two looks at whether one has failed (--until-failure). */
#define TURN 8

void rfs_samplings_new(struct rfs_campaign *c, const struct rfs_samplers *samplers)
{
	c->samplings = xcalloc(samplers->n ? samplers->n : 1, sizeof(*c->samplings));
	c->n_samplings = samplers->n;
	for (size_t i = 0; i < samplers->n; i++)
		c->samplings[i].sampler = &samplers->list[i];
}

void rfs_samplings_release(struct rfs_campaign *c)
{
	for (size_t i = 0; i < c->n_samplings; i++) {
		struct rfs_sampling *sampling = &c->samplings[i];

		rfs_orders_release(&sampling->orders);
		rfs_run_stats_release(&sampling->stats);
		free(sampling->blob.data);
	}
	free(c->samplings);
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

static void add_stats(struct rfs_run_stats *sum, const struct rfs_run_result *result)
{
	for (size_t i = 0; i < result->policy_stats.n; i++) {
		const struct rfs_run_stat *stat = &result->policy_stats.list[i];
		size_t k = 0;

		while (k < sum->n && strcmp(sum->list[k].key, stat->key) != 0)
			k++;
		if (k == sum->n)
			rfs_run_stats_add(sum, stat->key, stat->value);
		else
			sum->list[k].value += stat->value;
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
		rfs_orders_add(&sampling->orders, result->order);
	add_stats(&sampling->stats, result);
	rfs_campaign_progress(c, failed);
	rfs_pairs_join(c, result);
	/* copies the blob that this execution started from, which goes next */
	kept = rfs_finding_note(c, phase, execution, result);
	if (!kept && c->options->keep_records)
		kept = rfs_saved_run_save(c, execution, result);
	free(sampling->blob.data);
	sampling->blob = saved;
	return kept;
}

void rfs_sampling_batch(struct rfs_campaign *c, const struct rfs_sampling *sampling, struct rfs_batch *batch)
{
	if (rfs_sampler_is_native(sampling->sampler))
		batch->run = c->settings.plain;
	else
		batch->one_by_one = sampling->sampler->policy->save != NULL;
	rfs_campaign_batch(c, batch);
}

/* ---- the sampling mode ---- */

struct sample {
	struct rfs_campaign *c;
	struct rfs_sampling *sampling;
	char label[64];
	uint64_t first; /* run that the batch starts with */
};

static void make(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct sample *sample = arg;
	struct rfs_campaign *c = sample->c;
	const char *detector = c->options->detector;
	bool native = rfs_sampler_is_native(sample->sampling->sampler);

	rfs_sampling_make(c, sample->sampling, sample->label, sample->first + i, RFS_POINTS_SYNC, out);
	out->spec.visible = c->sites.sites;
	out->spec.n_visible = c->sites.n;
	out->spec.detector = detector ? rfs_detector_find(detector) : NULL;
	out->spec.orders = !native;
}

static bool done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct sample *sample = arg;

	return rfs_sampling_done(sample->c, sample->sampling, "sample", sample->first + i, execution, result);
}

/* The first run of all stands in for phase 1: it says how long a run is. */
static uint64_t turn(const struct rfs_campaign *c, uint64_t left)
{
	uint64_t n = !c->limited ? 1 : c->options->until_failure ? TURN : left;

	return n < left ? n : left;
}

static void run_sampler(struct rfs_campaign *c, size_t number)
{
	struct sample sample = {.c = c, .sampling = &c->samplings[number], .label = "sample"};
	const struct rfs_sampler *sampler = sample.sampling->sampler;
	struct rfs_batch batch = {.lasting = true, .make = make, .done = done, .arg = &sample};
	uint64_t runs = c->options->runs;

	if (c->n_samplings > 1)
		snprintf(sample.label, sizeof(sample.label), "sample-%zu-%.20s", number + 1,
			 sampler->policy ? sampler->policy->name : sampler->name);
	while (sample.first < runs && c->end == RFS_POOL_DONE &&
	       !(c->options->until_failure && sample.sampling->failures)) {
		batch.n = turn(c, runs - sample.first);
		rfs_sampling_batch(c, sample.sampling, &batch);
		sample.first += batch.n;
		if (!c->limited)
			rfs_limits_by_controlled_runs(c);
	}
	rfs_pool_rest(c->pool);
}

void rfs_sample(struct rfs_campaign *c)
{
	double started;

	if (c->options->points == RFS_POINTS_RACES) {
		rfs_limits_measure(c);
		rfs_predict(c);
		rfs_limits_by_controlled_runs(c);
	}
	started = rfs_clock();
	rfs_samplings_new(c, &c->options->samplers);
	rfs_campaign_phase(c, "sample", c->options->runs * c->n_samplings, 0);
	for (size_t i = 0; i < c->n_samplings; i++)
		run_sampler(c, i);
	rfs_pairs_settle(c);
	if (c->n_pairs)
		rfs_pairs_save(c);
	rfs_findings_replay(c);
	c->explore_wall = rfs_clock() - started;
}
