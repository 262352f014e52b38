#include "supervisor/campaign/explore.h"

#include "supervisor/base/clock.h"
#include "supervisor/campaign/campaign-priv.h"
#include "supervisor/campaign/decisions.h"
#include "supervisor/campaign/executions.h"
#include "supervisor/campaign/finding.h"
#include "supervisor/campaign/options.h"
#include "supervisor/campaign/samplers.h"
#include "supervisor/campaign/sampling.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/run_spec.h"

struct exploration {
	struct rfs_campaign *c;
	struct rfs_sampling *sampling; /* the sampler whose turn it is */
	uint64_t first;		       /* number of the first run of this turn */
};

static void explore_make(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct exploration *e = arg;

	/*
	 * If the program has no races, it is enough to switch threads at synchronisation (RAPOS, ASE 2007, section 3).
	 * The program may have races, so threads are also switched at the predicted pairs.
	 */
	rfs_sampling_make(e->c, e->sampling, "explore", e->first + i, RFS_POINTS_RACES, out);
	out->spec.visible = e->c->pairs.sites.sites;
	out->spec.n_visible = e->c->pairs.sites.n;
}

static bool explore_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct exploration *e = arg;

	return rfs_sampling_done(e->c, e->sampling, "explore", e->first + i, execution, result);
}

void rfs_explore(struct rfs_campaign *c)
{
	const struct rfs_samplers *samplers = &c->options->explorers;
	struct exploration e = {.c = c};
	uint64_t left = c->options->explore;
	uint64_t turn_runs = rfs_decide_explore_turn(left, samplers->n);
	double started = rfs_clock();

	rfs_campaign_phase(c, "explore", left, 0);
	rfs_samplings_new(&c->samplings, samplers);
	for (size_t turn = 0; left && c->end == RFS_POOL_DONE; turn++) {
		struct rfs_batch batch = {.n = left < turn_runs ? left : turn_runs,
					  .lasting = true,
					  .make = explore_make,
					  .done = explore_done,
					  .arg = &e};

		e.sampling = &c->samplings.list[turn % samplers->n];
		rfs_sampling_batch(c, e.sampling, &batch);
		e.first += batch.n;
		left -= batch.n;
	}
	rfs_pool_rest(c->pool);
	rfs_findings_replay(c);
	c->explore_seconds = rfs_clock() - started;
}
