#include "supervisor/campaign/predict.h"

#include "policy/policy.h"
#include "supervisor/base/clock.h"
#include "supervisor/campaign/campaign-priv.h"
#include "supervisor/campaign/executions.h"
#include "supervisor/campaign/finding.h"
#include "supervisor/campaign/options.h"
#include "supervisor/campaign/pair_list.h"
#include "supervisor/campaign/verdict.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/run_spec.h"

static void predict_make(void *arg, uint64_t i, struct rfs_execution *out)
{
	struct rfs_campaign *c = arg;
	/* in the sampling mode, --detector applies to the sampling runs only */
	bool given = c->options->detector && c->options->mode != RFS_MODE_SAMPLE;
	const char *detector = given ? c->options->detector : "hybrid";

	rfs_campaign_execution(c, "predict", i, rfs_policy_find("random"), RFS_POINTS_SYNC, out);
	out->spec.detector = rfs_detector_find(detector);
}

static bool predict_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct rfs_campaign *c = arg;
	struct rfs_signature unused;
	bool failed = rfs_run_failed(result, &unused);

	(void)i;
	rfs_campaign_note(c, execution, result);
	rfs_pair_list_join(&c->pairs, c->symbols, result);
	rfs_campaign_progress(c, failed);
	return rfs_finding_note(c, "predict", execution, result);
}

void rfs_predict(struct rfs_campaign *c)
{
	const struct rfs_batch batch = {
		.n = c->options->predict_runs, .make = predict_make, .done = predict_done, .arg = c};
	double started = rfs_clock();

	rfs_campaign_phase(c, "predict", batch.n, 0);
	rfs_campaign_batch(c, &batch);
	rfs_pair_list_settle(&c->pairs);
	/* if no run could be started, the campaign removes the output folder, which must be empty for that */
	if (c->end != RFS_POOL_FAILED || c->pairs.n)
		rfs_pair_list_save(c);
	rfs_findings_replay(c);
	c->predict_seconds = rfs_clock() - started;
}
