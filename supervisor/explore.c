/*
 * Phase 3 and the sampling mode: many runs under one policy, whose failures and deadlocks are the findings. Many bugs
 * (a broken atomic section, an order that nobody enforced) are no data race at all.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/alloc.h"
#include "supervisor/campaign-priv.h"
#include "supervisor/clock.h"
#include "supervisor/plugin.h"

/* ---- explore ---- */

static void make(void *arg, uint64_t i, struct rfs_execution *out)
{
	struct rfs_campaign *c = arg;

	/* RAPOS (ASE 2007, section 3): sync points are enough only where the program has no race; so these too */
	rfs_campaign_execution(c, "explore", i, rfs_policy_find("random"), RFS_POINTS_RACES, out);
	out->spec.visible = c->sites.sites;
	out->spec.n_visible = c->sites.n;
}

static bool done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct rfs_campaign *c = arg;
	struct rfs_signature signature;

	(void)i;
	rfs_campaign_note(c, execution, result);
	rfs_campaign_progress(c, rfs_run_failed(result, &signature));
	return rfs_finding_note(c, "explore", execution, result);
}

void rfs_explore(struct rfs_campaign *c)
{
	const struct rfs_batch batch = {.n = c->options->explore, .make = make, .done = done, .arg = c};
	double started = rfs_clock();

	rfs_campaign_phase(c, "explore", batch.n, 0);
	rfs_campaign_batch(c, &batch);
	rfs_findings_replay(c);
	c->explore_wall = rfs_clock() - started;
}

/* ---- sampling ---- */

struct sampling {
	struct rfs_campaign *c;
	const struct rfs_policy_ops *policy;
	const char *path;
	uint64_t first;	      /* run that the batch starts with */
	struct rfs_blob blob; /* what the run before saved */
	bool has_blob;
};

static void make_sample(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct sampling *sampling = arg;
	struct rfs_campaign *c = sampling->c;
	const char *detector = c->options->detector;

	rfs_campaign_execution(c, "sample", sampling->first + i, sampling->policy, RFS_POINTS_SYNC, out);
	out->policy_path = sampling->path;
	out->spec.detector = detector ? rfs_detector_find(detector) : NULL;
	if (sampling->has_blob)
		out->spec.policy_blob = &sampling->blob;
}

static void count_order(struct rfs_campaign *c, const uint64_t hash[2])
{
	struct rfs_order *order;

	for (size_t i = 0; i < c->sampling.n_orders; i++) {
		order = &c->sampling.orders[i];
		if (order->hash[0] == hash[0] && order->hash[1] == hash[1]) {
			order->count++;
			return;
		}
	}
	c->sampling.orders = xreallocarray(c->sampling.orders, c->sampling.n_orders + 1, sizeof(*c->sampling.orders));
	c->sampling.orders[c->sampling.n_orders++] = (struct rfs_order){.hash = {hash[0], hash[1]}, .count = 1};
}

static bool sample_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct sampling *sampling = arg;
	struct rfs_campaign *c = sampling->c;
	struct rfs_blob saved = result->blob;
	struct rfs_signature signature;
	bool kept;

	(void)i;
	result->blob = (struct rfs_blob){0};
	rfs_campaign_note(c, execution, result);
	c->sampling.runs++;
	if (rfs_run_conclusive(result))
		count_order(c, result->hash);
	rfs_campaign_progress(c, rfs_run_failed(result, &signature));
	rfs_pairs_join(c, result);
	/* copies the blob that this execution started from, which goes next */
	kept = rfs_finding_note(c, "sample", execution, result);
	free(sampling->blob.data);
	sampling->blob = saved;
	sampling->has_blob = saved.data != NULL;
	return kept;
}

int rfs_sample(struct rfs_campaign *c, char *why, size_t n)
{
	struct sampling sampling = {.c = c};
	struct rfs_batch batch = {.n = 1, .make = make_sample, .done = sample_done, .arg = &sampling};
	double started = rfs_clock();
	int error = rfs_policy_load(c->options->policy, &sampling.policy, &sampling.path, why, n);

	if (error)
		return error;
	if (sampling.policy->flags & RFS_POLICY_NEEDS_PAIR)
		return rfs_why(why, n, -EINVAL, "policy '%s' works on a pair: give it one with --pairs FILE",
			       sampling.policy->name);
	batch.one_by_one = sampling.policy->save != NULL;
	rfs_campaign_phase(c, "sample", c->options->runs, 0);
	/* the first run stands in for phase 1: it says how long a run is */
	rfs_campaign_batch(c, &batch);
	rfs_campaign_set_limits(c);
	sampling.first = 1;
	batch.n = c->options->runs - 1;
	rfs_campaign_batch(c, &batch);
	rfs_pairs_settle(c);
	if (c->n_pairs)
		rfs_pairs_save(c);
	rfs_findings_replay(c);
	free(sampling.blob.data);
	c->explore_wall = rfs_clock() - started;
	return 0;
}
