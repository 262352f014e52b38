#include "supervisor/campaign/explore.h"

#include <stdio.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/siteset.h"
#include "supervisor/campaign/arm.h"
#include "supervisor/campaign/campaign-priv.h"
#include "supervisor/campaign/options.h"
#include "supervisor/campaign/predict.h"
#include "supervisor/campaign/samplers.h"
#include "supervisor/campaign/sampling.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/run_spec.h"

/* Phase predict uses the policies random and delay too. If no pair was predicted, the first runs of these samplers
 * would repeat predicting runs, so they continue with the next seed. */
static uint64_t first_run(const struct rfs_campaign *c, const struct rfs_sampler *sampler)
{
	bool same = (sampler->policy == rfs_policy_find("random") || sampler->policy == rfs_policy_find("delay")) &&
		    !sampler->options;

	return c->options->mode == RFS_MODE_CAMPAIGN && same ? c->options->predict_runs : 0;
}

/* "explore-random"; with a number if an earlier sampler has the same policy. */
static void name_sampling(struct rfs_samplings *samplings, size_t i)
{
	struct rfs_sampling *sampling = &samplings->list[i];
	const struct rfs_sampler *sampler = sampling->sampler;
	const char *name = sampler->policy ? sampler->policy->name : sampler->name;

	snprintf(sampling->label, sizeof(sampling->label), "explore-%.20s", name);
	for (size_t k = 0; k < i; k++)
		if (strcmp(samplings->list[k].label, sampling->label) == 0)
			snprintf(sampling->label, sizeof(sampling->label), "explore-%zu-%.20s", i + 1, name);
}

/* Phase predict has made a run under sweep. The first sampler of this policy continues from what that run saved. */
static void begin_swept(struct rfs_campaign *c, struct rfs_sampling *sampling)
{
	sampling->blob = c->swept;
	c->swept = (struct rfs_blob){0};
}

void rfs_explore_begin(struct rfs_campaign *c)
{
	const struct rfs_samplers *samplers = &c->options->explorers;

	rfs_samplings_new(&c->samplings, samplers);
	for (size_t i = 0; i < c->samplings.n; i++) {
		c->samplings.list[i].arm.planned = rfs_arm_share(c->options->explore, i, samplers->n);
		c->samplings.list[i].first = first_run(c, &samplers->list[i]);
		name_sampling(&c->samplings, i);
		if (samplers->list[i].policy == rfs_policy_find("sweep") && !samplers->list[i].options)
			begin_swept(c, &c->samplings.list[i]);
	}
}

/* In other modes, the user has named the pairs. */
static bool predicts(const struct rfs_campaign *c, const struct rfs_sampling *sampling, uint64_t i)
{
	return c->options->mode == RFS_MODE_CAMPAIGN && !rfs_sampler_is_native(sampling->sampler) &&
	       !c->samplings.too_slow && rfs_arm_predicts(i, rfs_predict_was_cut(c));
}

void rfs_explore_make(const struct rfs_campaign *c, const struct rfs_sampling *sampling, uint64_t i,
		      const struct rfs_site_set *sites, struct rfs_execution *out)
{
	/*
	 * If the program has no races, it is enough to switch threads at synchronisation (RAPOS, ASE 2007, section 3).
	 * The program may have races, so threads are also switched at the predicted pairs.
	 */
	rfs_sampling_make(c, sampling, sampling->label, sampling->first + i, RFS_POINTS_RACES, out);
	out->spec.visible = sites->sites;
	out->spec.n_visible = sites->n;
	/* a program may take its branches by the date, as one that seeds a generator from it */
	out->spec.start_from_seed = !out->spec.clock_real;
	if (!predicts(c, sampling, i))
		return;
	out->spec.detector = rfs_predict_detector(c);
	out->spec.predicts_violations = true;
	/* orders need to know the heap, which costs much; a detector needs it anyway */
	out->spec.orders = out->spec.detector != NULL;
}

bool rfs_explore_done(struct rfs_campaign *c, struct rfs_sampling *sampling, uint64_t i,
		      const struct rfs_execution *execution, struct rfs_run_result *result)
{
	bool cut = result->end == RFS_END_TIMEOUT && execution->spec.timeout < c->options->run.timeout;

	sampling->predicting += execution->spec.detector != NULL;
	/* a detector makes each stop slower, and threads stop at the statements of all pairs */
	c->samplings.too_slow |= cut && execution->spec.detector;
	return rfs_sampling_done(c, sampling, "explore", i, execution, result);
}
