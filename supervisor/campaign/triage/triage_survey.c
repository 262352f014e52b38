/* triage_survey.c - the runs with a detector that say something about all reports at once (survey.h). */
#include <stdlib.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/siteset.h"
#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/executions/progress.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/phases/predict.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/predicted/suppress.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/triage/triage-priv.h"
#include "supervisor/import/import.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"

#define LABEL "survey"

struct surveying {
	struct rfs_campaign *c;
	uint64_t n;
	double deadline; /* of all runs; 0: none */
};

static bool is_suppressed(const struct rfs_triage_entry *entry)
{
	for (size_t i = 0; i < entry->n_pairs; i++)
		if (!entry->pairs[i]->suppressed)
			return false;
	return entry->n_pairs > 0;
}

/* The sites of all accesses that reports name, but of those that get no runs. */
static void triage_survey_ask(struct rfs_campaign *c)
{
	struct rfs_triage *triage = c->triage;

	for (size_t i = 0; i < c->pairs->n; i++)
		c->pairs->list[i]->suppressed = rfs_suppress_pair(c, c->pairs->list[i]);
	for (size_t i = 0; i < triage->import->n; i++)
		for (int k = 0; k < 2 && !is_suppressed(&triage->entries[i]); k++) {
			const struct rfs_matched *access = &triage->entries[i].access[k];

			for (size_t s = 0; s < access->n; s++)
				(void)rfs_site_set_add(&triage->survey.asked, access->sites[s].module,
						       access->sites[s].offset);
		}
}

static void survey_make(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct surveying *surveying = arg;
	struct rfs_campaign *c = surveying->c;
	const struct rfs_site_set *asked = &c->triage->survey.asked;
	const char *options;
	const struct rfs_policy_ops *policy = rfs_predict_policy(c->measured, i, &options);

	/* a run that is cut short says nothing, so the first one may take the time of all */
	if (surveying->deadline > 0)
		c->run_seconds =
			rfs_budget_predicting_run(surveying->deadline - rfs_clock(), surveying->n - i - 1, true);
	rfs_campaign_execution(c, LABEL, i, policy, RFS_POINTS_SYNC, out);
	out->spec.policy_options = options;
	out->spec.detector = rfs_detector_find("hybrid");
	out->spec.wanted.covers = asked->sites;
	out->spec.wanted.n_covers = asked->n;
	/* in two passes, neither pass sees all accesses */
	out->two_passes = false;
}

static bool survey_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct rfs_campaign *c = ((struct surveying *)arg)->c;

	(void)i;
	if (rfs_run_conclusive(result))
		rfs_survey_add(&c->triage->survey, &result->covered);
	rfs_campaign_note(c, execution, result);
	rfs_triage_learn(c->triage, result);
	rfs_campaign_progress(c, rfs_campaign_failed(c, result));
	return rfs_finding_note(c, LABEL, execution, result);
}

uint64_t rfs_triage_survey_runs(const struct rfs_campaign *c)
{
	return c->options->predict_runs;
}

void rfs_triage_survey(struct rfs_campaign *c)
{
	struct surveying surveying = {.c = c, .n = rfs_triage_survey_runs(c)};
	struct rfs_batch batch = {.n = surveying.n, .make = survey_make, .done = survey_done, .arg = &surveying};
	const double budget = c->options->budget;

	triage_survey_ask(c);
	if (!c->triage->survey.asked.n) {
		c->phases->list[c->phases->now].planned -= batch.n;
		return;
	}
	if (budget > 0) {
		surveying.deadline = rfs_clock() + rfs_budget_survey(budget);
		batch.deadline = surveying.deadline + rfs_budget_run(budget, false);
	}
	rfs_campaign_batch(c, &batch);
	c->run_seconds = 0;
}
