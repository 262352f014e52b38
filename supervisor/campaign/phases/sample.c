/* sample.c - sampler after sampler, each with its part of the time. */
#include "supervisor/campaign/phases/sample.h"

#include <stdio.h>
#include <string.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/clock.h"
#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/campaign/decisions/decisions.h"
#include "supervisor/campaign/decisions/limits.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/executions/progress.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/phases/measure.h"
#include "supervisor/campaign/phases/predict.h"
#include "supervisor/campaign/phases/rounds.h"
#include "supervisor/campaign/phases/sampling.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/predicted/pairs_txt.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/samplers.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/run_spec.h"

struct sample {
	struct rfs_campaign *c;
	struct rfs_sampling *sampling;
	char label[64];
	uint64_t first; /* number of the first run in the batch */
};

static void sample_make(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct sample *sample = arg;
	struct rfs_campaign *c = sample->c;
	const char *detector = c->options->detector;
	bool native = rfs_sampler_is_native(sample->sampling->sampler);

	rfs_sampling_make(c, sample->sampling, sample->label, sample->first + i, RFS_POINTS_SYNC, out);
	out->spec.sites.visible = rfs_pair_list_sites(c->pairs)->sites;
	out->spec.sites.n_visible = rfs_pair_list_sites(c->pairs)->n;
	out->spec.sites.object_kinds = rfs_pair_list_object_kinds(c->pairs, rfs_pair_list_sites(c->pairs));
	out->spec.detector = detector ? rfs_detector_find(detector) : NULL;
	out->spec.predicts_violations = detector != NULL;
	out->spec.wanted.orders = !native;
}

static bool sample_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct sample *sample = arg;

	return rfs_sampling_done(sample->c, sample->sampling, "sample", sample->first + i, execution, result);
}

/* Under a budget, when the runs of this sampler must end, so that later samplers and the pairs have their parts. */
static double sampler_deadline(const struct rfs_campaign *c, size_t number)
{
	const size_t shares = c->samplings->n - number + rfs_samples_confirm(c->options);
	const struct rfs_budget budget = {.whole = c->options->budget, .spent = rfs_clock() - c->started};

	return budget.whole > 0 ? rfs_clock() + rfs_budget_sampler(&budget, shares) : 0;
}

static void run_sampler(struct rfs_campaign *c, size_t number)
{
	struct sample sample = {.c = c, .sampling = &c->samplings->list[number], .label = "sample"};
	const struct rfs_sampler *sampler = sample.sampling->sampler;
	struct rfs_batch batch = {.lasting = true, .make = sample_make, .done = sample_done, .arg = &sample};
	uint64_t runs = c->options->runs;

	batch.deadline = sampler_deadline(c, number);
	if (c->samplings->n > 1)
		snprintf(sample.label, sizeof(sample.label), "sample-%zu-%.20s", number + 1,
			 sampler->policy ? sampler->policy->name : sampler->name);
	while (sample.first < runs && c->end == RFS_POOL_DONE &&
	       !(batch.deadline > 0 && rfs_clock() >= batch.deadline) &&
	       !(c->options->until_failure && sample.sampling->failures)) {
		batch.n = rfs_decide_sample_turn(runs - sample.first, c->limits->settled, c->options->until_failure);
		rfs_sampling_batch(c, sample.sampling, &batch);
		sample.first += batch.n;
		c->fault_points = c->fault_points_seen;
		if (!c->limits->settled)
			rfs_limits_by_controlled_runs(c->limits, c->baseline);
	}
	rfs_pool_rest(c->pool);
}

void rfs_sample(struct rfs_campaign *c)
{
	if (c->options->run.points == RFS_POINTS_RACES) {
		rfs_measure(c);
		rfs_predict(c);
		rfs_limits_by_controlled_runs(c->limits, c->baseline);
	}
	rfs_samplings_new(c->samplings, &c->options->samplers);
	rfs_campaign_phase(c, "sample", c->options->runs * c->samplings->n);
	rfs_progress_phase(c->progress, "sample", c->options->runs * c->samplings->n);
	for (size_t i = 0; i < c->samplings->n; i++)
		run_sampler(c, i);
	rfs_pair_list_settle(c->pairs);
	if (c->pairs->n)
		rfs_pairs_txt_save(c);
	rfs_findings_replay(c);
	/* --points races without a detector only predicts pairs to know where to switch */
	if (rfs_samples_confirm(c->options) && c->pairs->n)
		rfs_rounds(c, false);
}
