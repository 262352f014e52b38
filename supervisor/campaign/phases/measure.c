/*
 * measure.c - one run under a schedule without preemptions. Its number of operations gives the limits of the other
 * runs.
 */
#include "supervisor/campaign/phases/measure.h"

#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/campaign/decisions/baseline.h"
#include "supervisor/campaign/decisions/limits.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/executions/progress.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/phases/predict.h"
#include "supervisor/campaign/predicted/scope_names.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"

struct measurement {
	struct rfs_campaign *c;
	uint64_t steps; /* of the run; 0: it did not end */
	int error;	/* of rfs_scope_names_check() */
};

/*
 * The first schedule of sweep has no preemptions, and the oldest thread goes first. Later runs of sweep continue from
 * here, unless this run has faults or store buffers: runs with a detector have neither.
 */
static void measure_make(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct measurement *measurement = arg;

	rfs_campaign_execution(measurement->c, "measure", i, rfs_policy_find("sweep"), RFS_POINTS_SYNC, out);
	out->spec.policy_options = "base=1";
	if (!out->spec.tso && !out->spec.faults)
		return;
	out->spec.policy = rfs_policy_find("schedule");
	/* threads that yield until all have arrived must not take turns with each other only */
	out->spec.policy_options = "in_turn=1";
}

static bool measure_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct measurement *measurement = arg;
	const bool ended = result->end == RFS_END_EXIT || result->end == RFS_END_SIGNAL;
	bool failed;

	(void)i;
	if (ended)
		measurement->steps = result->counts.steps;
	measurement->error =
		rfs_scope_names_check(measurement->c, result, measurement->c->why, sizeof(measurement->c->why));
	rfs_campaign_note_faults(measurement->c, result);
	measurement->c->slow = result->end == RFS_END_TIMEOUT && measurement->c->run_seconds > 0;
	rfs_note("run %s: %s after %llu operations", execution->name, rfs_run_end_name(result->end),
		 (unsigned long long)result->counts.steps);
	failed = rfs_campaign_failed(measurement->c, result);
	if (ended && !failed && result->blob.data) {
		rfs_predict_keep(measurement->c, execution->spec.policy, result->blob);
		result->blob = (struct rfs_blob){0};
	}
	return rfs_finding_note(measurement->c, "measure", execution, result);
}

void rfs_measure(struct rfs_campaign *c)
{
	struct measurement measurement = {.c = c};
	double started = rfs_clock();
	const struct rfs_batch batch = {.n = 1, .make = measure_make, .done = measure_done, .arg = &measurement};

	/* if no baseline run ended, this run would not end either */
	if (!c->baseline->runs)
		return;
	rfs_progress_phase(c->progress, "measure", 1);
	c->run_seconds = rfs_budget_measure(c->options->budget);
	rfs_campaign_batch(c, &batch);
	c->run_seconds = 0;
	c->fault_points = c->fault_points_seen;
	c->measured = measurement.steps;
	c->measure_seconds = rfs_clock() - started;
	rfs_limits_by_measured_run(c->limits, c->baseline, measurement.steps);
	if (measurement.error)
		c->end = RFS_POOL_FAILED;
}
