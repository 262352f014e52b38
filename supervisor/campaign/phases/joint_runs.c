/* joint_runs.c - forms the groups, makes their runs, and gives what they created to the single pairs. */
#include "supervisor/campaign/phases/joint_runs.h"

#include <stdlib.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/executions/progress.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/predicted/confirm.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/predicted/suppress.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/settings.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/run_result.h"

/* Runs of each group. Two runs with successive seeds resolve their first race in both orders (racefuzzer.c). */
#define RUNS 2

void rfs_joint_runs_release(struct rfs_joint_runs *joint)
{
	for (size_t i = 0; i < joint->n; i++) {
		for (int k = 0; k < 2; k++)
			rfs_site_set_release(&joint->groups[i]->sites[k]);
		free(joint->groups[i]->label);
		free(joint->groups[i]);
	}
	free(joint->groups);
	*joint = (struct rfs_joint_runs){0};
}

static struct rfs_joint_group *joint_runs_add_group(struct rfs_joint_runs *joint)
{
	joint->groups = xreallocarray(joint->groups, joint->n + 1, sizeof(*joint->groups));
	joint->groups[joint->n] = xcalloc(1, sizeof(**joint->groups));
	joint->groups[joint->n]->label = xasprintf("joint-%zu", joint->n + 1);
	return joint->groups[joint->n++];
}

static void joint_runs_add_pair(struct rfs_joint_group *group, struct rfs_pair *pair)
{
	group->pairs[group->n++] = pair;
	for (int k = 0; k < 2; k++) {
		const struct rfs_statement *from = &pair->statements.statement[k];
		const struct rfs_site_set added = {(struct rfs_site_ref *)from->sites, from->n_sites};

		rfs_site_set_join(&group->sites[k], &added);
		group->statements.statement[k] = (struct rfs_statement){group->sites[k].sites, group->sites[k].n};
	}
}

/* Adds the pairs that are the first of their group (pair_groups.h), or the others; of these, the late ones, or those
 * that are not. Pairs that follow each other are of the same code, and often share a statement. */
static void add_members(struct rfs_campaign *c, struct rfs_joint_runs *joint, bool others, bool late)
{
	struct rfs_joint_group *group = NULL;

	for (size_t i = 0; i < c->pairs->n; i++) {
		struct rfs_pair *pair = c->pairs->list[i];

		if ((pair->arm.member > 0) != others || pair->arm.late != late ||
		    rfs_surveyed_settles(&pair->surveyed) || rfs_suppress_pair(c, pair))
			continue;
		if (!group || group->n == RFS_JOINT_PAIRS)
			group = joint_runs_add_group(joint);
		joint_runs_add_pair(group, pair);
	}
}

/* ---- runs ---- */

static struct rfs_joint_group *group_of(const struct rfs_campaign *c, uint64_t i)
{
	return c->joint->groups[i % c->joint->n];
}

static void joint_make(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct rfs_campaign *c = arg;
	const struct rfs_joint_group *group = group_of(c, i);

	rfs_campaign_execution(c, group->label, i / c->joint->n, rfs_confirm_racefuzzer(), RFS_POINTS_SYNC, out);
	out->spec.policy_options = rfs_confirm_is_hasty(c->measured) ? RFS_CONFIRM_HASTY : NULL;
	out->spec.plan.pair = &group->statements;
	out->spec.sites.object_kinds = rfs_pair_list_object_kinds(c->pairs, rfs_pair_list_sites(c->pairs));
	out->spec.wanted.lists_created = true;
}

static bool joint_runs_has(const struct rfs_statement *statement, const struct rfs_place *place)
{
	for (size_t i = 0; i < statement->n_sites && place->module; i++)
		if (rfs_site_compare(statement->sites[i].module, statement->sites[i].offset, place->module,
				     place->offset) == 0)
			return true;
	return false;
}

static bool joint_runs_is_of(const struct rfs_pair *pair, const struct rfs_place *a, const struct rfs_place *b)
{
	const struct rfs_statement *statement = pair->statements.statement;

	return (joint_runs_has(&statement[0], a) && joint_runs_has(&statement[1], b)) ||
	       (joint_runs_has(&statement[0], b) && joint_runs_has(&statement[1], a));
}

static bool joint_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct rfs_campaign *c = arg;
	const struct rfs_joint_group *group = group_of(c, i);

	rfs_note("run %s: tried %zu pairs, created races at %zu pairs of places", execution->name, group->n,
		 result->n_created_at / 2);
	for (size_t p = 0; p < group->n; p++) {
		group->pairs[p]->tried += rfs_run_conclusive(result);
		for (size_t k = 0; k + 1 < result->n_created_at; k += 2)
			group->pairs[p]->tried_created |=
				joint_runs_is_of(group->pairs[p], &result->created_at[k], &result->created_at[k + 1]);
	}
	rfs_campaign_note(c, execution, result);
	rfs_campaign_progress(c, rfs_campaign_failed(c, result));
	return rfs_finding_note(c, "joint", execution, result);
}

uint64_t rfs_joint_runs_in_vain(const struct rfs_pair *pair)
{
	return pair->tried_created ? 0 : pair->tried;
}

void rfs_joint_runs_make(struct rfs_campaign *c)
{
	const struct rfs_budget budget = {.whole = c->options->budget, .spent = rfs_clock() - c->started};
	struct rfs_batch batch = {.make = joint_make, .done = joint_done, .arg = c};
	struct rfs_phase *phase;
	double seconds;

	if (budget.whole <= 0 || c->settings->plan || c->end != RFS_POOL_DONE || c->enough)
		return;
	for (int late = 0; late < 2; late++)
		for (int others = 0; others < 2; others++)
			add_members(c, c->joint, others, late);
	seconds = rfs_budget_joint(&budget, c->triage != NULL);
	if (c->pairs->n <= RFS_JOINT_PAIRS || !c->joint->n || seconds <= 0)
		return;
	if (!c->triage)
		rfs_campaign_phase(c, "joint", 0);
	phase = &c->phases->list[c->phases->now];
	batch.n = RUNS * c->joint->n;
	batch.deadline = rfs_clock() + seconds;
	c->run_seconds = rfs_budget_run(budget.whole, c->slow);
	phase->planned += batch.n;
	rfs_campaign_batch(c, &batch);
	c->run_seconds = 0;
	/* what they could not try is tried by the runs that follow */
	if (phase->planned > phase->runs)
		phase->planned -= phase->planned - phase->runs < batch.n ? phase->planned - phase->runs : batch.n;
}
