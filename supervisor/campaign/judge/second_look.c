/*
 * second_look.c - chooses the failures that are worth a run with a detector, makes it, and adds the pairs that it
 * predicts.
 */
#include "supervisor/campaign/judge/second_look.h"

#include <stdio.h>
#include <stdlib.h>

#include "policy/policy.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/decisions/minimise.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/ending.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/failures/saved_run.h"
#include "supervisor/campaign/predicted/cycles.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/predicted/violations.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/run_result.h"
#include "supervisor/report/data/failure.h"

/* The most failures that are repeated with a detector. */
#define LOOKS 10

/* Whether a detector may find the cause. That of a deadlock is known: its threads and what they wait for. */
static bool is_worth_it(const struct rfs_finding *finding)
{
	const struct rfs_saved_run *kept = finding->first;

	return !finding->plain && kept->replayed == RFS_REPLAY_SAME && !kept->input && !kept->execution.spec.detector &&
	       !rfs_failure_shows_threads(finding->key.signature.kind);
}

static void second_look_learn(struct rfs_campaign *c, struct rfs_run_result *result)
{
	const size_t new = rfs_pair_list_join(c->pairs, c->symbols, result);

	for (size_t i = c->pairs->n - new; i < c->pairs->n; i++)
		c->pairs->list[i]->in_failure = true;
	rfs_cycle_list_join(c->cycles, result);
	rfs_violation_list_join(c->violations, result);
}

static void look_at(struct rfs_campaign *c, const struct rfs_saved_run *kept)
{
	struct rfs_choices choices = {0};
	struct rfs_execution execution;
	struct rfs_run_result result;
	struct rfs_blob blob;

	if (!rfs_saved_run_choices(c, kept, &execution, &choices))
		return;
	rfs_choices_follow(&choices, &blob, &execution);
	snprintf(execution.name, sizeof(execution.name), "%.40s-look", kept->execution.name);
	/* without a detector, no contention was forced */
	execution.spec.forces_contention = false;
	execution.spec.detector = rfs_campaign_detector(c);
	execution.spec.predicts_violations = true;
	if (rfs_campaign_one(c, &execution, false, &result)) {
		rfs_note("run %s: predicted %zu pairs", execution.name, result.prediction.n);
		second_look_learn(c, &result);
		rfs_run_result_release(&result);
	}
	free(choices.list);
}

void rfs_second_look(struct rfs_campaign *c)
{
	size_t looks = 0;

	if (c->options->mode != RFS_MODE_CAMPAIGN || !rfs_campaign_detector(c))
		return;
	for (size_t i = 0; i < c->findings->n && looks < LOOKS && !rfs_ending_over(c); i++) {
		struct rfs_finding *finding = &c->findings->list[i];

		looks += finding->looked_at;
		if (finding->looked_at || !is_worth_it(finding))
			continue;
		finding->looked_at = true;
		looks++;
		look_at(c, finding->first);
	}
}
