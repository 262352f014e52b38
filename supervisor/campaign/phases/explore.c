/* explore.c - the runs of a sampler within phase explore: what each has besides its policy. */
#include "supervisor/campaign/phases/explore.h"

#include <stdio.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/siteset.h"
#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/phases/joint_runs.h"
#include "supervisor/campaign/phases/predict.h"
#include "supervisor/campaign/phases/sampling.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/samplers.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/run_spec.h"

/* Phase predict may have made runs under the policy of the sampler, which continues from there, with the next seed. */
static void continue_sampling(struct rfs_campaign *c, struct rfs_sampling *sampling)
{
	struct rfs_blob *saved = rfs_predict_saved(c, sampling->sampler->policy);

	if (c->options->mode != RFS_MODE_CAMPAIGN || sampling->sampler->options || !saved)
		return;
	sampling->first = c->options->predict_runs;
	sampling->blob = *saved;
	*saved = (struct rfs_blob){0};
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

/*
 * Runs that stop at the statements of hundreds of pairs may take many times as long as those that stop at
 * synchronisation only. Then a budget is divided: a sampler that learns from run to run makes short runs only, because
 * it needs many that stop at the same places. Any other sampler makes one long run, and then several short ones.
 */
static bool stops_at_places(const struct rfs_campaign *c, const struct rfs_sampling *sampling, uint64_t i)
{
	const uint64_t every = c->options->budget > 0 && c->placed.runs
				       ? rfs_arm_places_every(c->placed.steps / c->placed.runs, c->measured)
				       : 1;
	const bool learns = sampling->sampler->policy && sampling->sampler->policy->save;

	/* samplers differ in which run it is, so that a short campaign has some of both kinds */
	return every == 1 || (!learns && (i + (uint64_t)(sampling - c->samplings->list)) % every == 0);
}

void rfs_explore_begin(struct rfs_campaign *c)
{
	static const struct rfs_site_set none;
	const struct rfs_samplers *samplers = &c->options->explorers;

	rfs_samplings_new(c->samplings, samplers);
	c->samplings->many_wait = c->options->budget > 0 && c->pairs->n > RFS_JOINT_PAIRS;
	for (size_t i = 0; i < c->samplings->n; i++) {
		struct rfs_sampling *sampling = &c->samplings->list[i];

		sampling->arm.planned = rfs_arm_share(c->options->explore, i, samplers->n);
		name_sampling(c->samplings, i);
		continue_sampling(c, sampling);
		if (rfs_tree_sampling_is_for(samplers->list[i].policy))
			rfs_tree_sampling_begin(&sampling->tree,
						stops_at_places(c, sampling, 0) ? rfs_pair_list_sites(c->pairs) : &none,
						&sampling->blob);
	}
}

/*
 * In other modes, the user has named the pairs. If many predictions wait for their first run, the first run of a
 * sampler has no detector: it would take several times as long, and only add to them.
 */
static bool predicts(const struct rfs_campaign *c, const struct rfs_sampling *sampling, uint64_t i)
{
	return c->options->mode == RFS_MODE_CAMPAIGN && !rfs_sampler_is_native(sampling->sampler) &&
	       !sampling->tree.tree && !c->samplings->too_slow &&
	       rfs_arm_predicts(i, rfs_predict_was_cut(c) || c->samplings->many_wait);
}

void rfs_explore_make(const struct rfs_campaign *c, const struct rfs_sampling *sampling, uint64_t i,
		      const struct rfs_site_set *sites, struct rfs_execution *out)
{
	static const struct rfs_site_set none;

	/*
	 * If the program has no races, it is enough to switch threads at synchronisation (RAPOS, ASE 2007, section 3).
	 * The program may have races, so threads are also switched at the predicted pairs.
	 */
	if (sampling->tree.tree)
		sites = sampling->tree.sites;
	else if (!stops_at_places(c, sampling, i))
		sites = &none;
	rfs_sampling_make(c, sampling, sampling->label, sampling->first + i, RFS_POINTS_RACES, out);
	out->spec.sites.visible = sites->sites;
	out->spec.sites.n_visible = sites->n;
	out->spec.sites.object_kinds = rfs_pair_list_object_kinds(c->pairs, sites);
	/* a program may take its branches by the date, as one that seeds a generator from it */
	out->spec.start_from_seed = !out->spec.clock_real && !sampling->tree.tree;
	if (!predicts(c, sampling, i))
		return;
	out->spec.detector = rfs_campaign_detector(c);
	out->spec.predicts_violations = true;
	/* orders need to know the heap, which costs much; a detector needs it anyway */
	out->spec.wanted.orders = out->spec.detector != NULL;
}

bool rfs_explore_done(struct rfs_campaign *c, struct rfs_sampling *sampling, uint64_t i,
		      const struct rfs_execution *execution, struct rfs_run_result *result)
{
	bool cut = result->end == RFS_END_TIMEOUT && execution->spec.limits.timeout < c->options->run.limits.timeout;

	sampling->predicting += execution->spec.detector != NULL;
	/* a detector makes each stop slower, and threads stop at the statements of all pairs */
	c->samplings->too_slow |= cut && execution->spec.detector;
	return rfs_sampling_done(c, sampling, "explore", i, execution, result);
}
