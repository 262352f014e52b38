/* arms.c - one function for each kind of arm and step. decisions/arm.c plans how many runs each has. */
#include "supervisor/campaign/phases/arms.h"

#include <stddef.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/error.h"
#include "supervisor/base/path.h"
#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/campaign/decisions/decisions.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/phases/explore.h"
#include "supervisor/campaign/phases/joint_runs.h"
#include "supervisor/campaign/predicted/confirm.h"
#include "supervisor/campaign/predicted/cycles.h"
#include "supervisor/campaign/predicted/pair_groups.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/predicted/suppress.h"
#include "supervisor/campaign/predicted/violations.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/record/run_spec.h"

void rfs_armed_make(const struct rfs_campaign *c, const struct rfs_armed *armed, uint64_t i,
		    const struct rfs_site_set *sites, struct rfs_execution *out)
{
	if (armed->pair)
		rfs_confirm_make(c, armed->pair, i, out);
	else if (armed->cycle)
		rfs_cycle_make(c, armed->cycle, i, out);
	else if (armed->violation)
		rfs_violation_make(c, armed->violation, i, out);
	else
		rfs_explore_make(c, armed->sampling, i, sites, out);
}

bool rfs_armed_done(struct rfs_campaign *c, const struct rfs_armed *armed, uint64_t i,
		    const struct rfs_execution *execution, struct rfs_run_result *result)
{
	armed->arm->done++;
	armed->arm->stops += result->counts.stops;
	if (armed->pair)
		return rfs_confirm_done(c, armed->pair, i, execution, result);
	if (armed->cycle)
		return rfs_cycle_done(c, armed->cycle, execution, result);
	if (armed->violation)
		return rfs_violation_done(c, armed->violation, i, execution, result);
	return rfs_explore_done(c, armed->sampling, i, execution, result);
}

/* ---- arms of what was predicted ---- */

static enum rfs_stake stake_of(const struct rfs_evidence *a, const struct rfs_evidence *b)
{
	if ((a->access | b->access) & RFS_ACCESS_FREE)
		return RFS_STAKE_FREE;
	if (a->access & b->access & RFS_ACCESS_RMW)
		return RFS_STAKE_COUNT;
	return a->size == sizeof(void *) && b->size == sizeof(void *) ? RFS_STAKE_POINTER : RFS_STAKE_OTHER;
}

/* The prospects of a pair that was predicted or named. */
static unsigned arms_rank_of(const struct rfs_pair *pair)
{
	struct rfs_arm_prospect prospect = {.overlapped = true, .reads = true, .stake = RFS_STAKE_OTHER};

	for (int k = 0; k < 2; k++) {
		const struct rfs_statement *statement = &pair->statements.statement[k];

		if (statement->n_sites)
			prospect.in_libraries += strstr(rfs_base_name(statement->sites[0].module), ".so") != NULL;
	}
	if (pair->predicted) {
		const struct rfs_evidence *a = &pair->evidence.side[0], *b = &pair->evidence.side[1];

		prospect.overlapped = a->object.address < b->object.address + b->size &&
				      b->object.address < a->object.address + a->size;
		prospect.reads = !(a->access & b->access & RFS_ACCESS_WRITE);
		prospect.stake = stake_of(a, b);
	}
	return rfs_arm_rank(&prospect);
}

/*
 * Whether something kept the two accesses in order in all runs that have seen them, for example because one thread
 * hands over the data under a lock. Such a pair may be impossible. But one that a failed run has shown may be the
 * cause.
 */
static bool is_late(const struct rfs_pair *pair)
{
	return pair->predicted && pair->evidence.ordered && !pair->in_failure;
}

/*
 * Under a budget, pairs that may be created come first. The others had a turn that taught nothing; or they have a
 * verdict already, of a joint run or a survey; or there are many pairs, and another one of their group is tried, or
 * they are late.
 */
#define ROUND_OF_TRIED 2
#define ROUND_OF_SETTLED 4

static void arms_add_pair(struct rfs_campaign *c, struct rfs_pair *pair, struct rfs_phase *confirm)
{
	if (pair->arm.planned || pair->suppressed)
		return;
	pair->suppressed = rfs_suppress_pair(c, pair);
	if (pair->suppressed)
		return;
	pair->arm.planned = c->options->runs;
	pair->arm.half = (pair->arm.planned + 1) / 2;
	if (c->options->budget > 0 && rfs_surveyed_settles(&pair->surveyed))
		pair->arm.from = ROUND_OF_SETTLED;
	else if (c->options->budget > 0 && (rfs_joint_runs_in_vain(pair) || ((pair->arm.member > 0 || pair->arm.late) &&
									     c->pairs->n > RFS_JOINT_PAIRS)))
		pair->arm.from = ROUND_OF_TRIED;
	confirm->planned += pair->arm.planned;
}

static void arms_add_cycle(struct rfs_campaign *c, struct rfs_predicted_cycle *cycle, struct rfs_phase *confirm)
{
	if (!cycle->arm.planned && !cycle->suppressed)
		cycle->suppressed = rfs_suppress_cycle(c, cycle);
	if (cycle->arm.planned || !rfs_cycle_is_open(cycle))
		return;
	cycle->arm.planned = c->options->runs;
	confirm->planned += cycle->arm.planned;
}

static void arms_add_violation(struct rfs_campaign *c, struct rfs_predicted_violation *violation,
			       struct rfs_phase *confirm)
{
	if (!violation->arm.planned && !violation->suppressed)
		violation->suppressed = rfs_suppress_violation(c, violation);
	if (violation->arm.planned || violation->suppressed)
		return;
	violation->arm.planned = rfs_violation_planned(c->violations, violation, c->options->runs);
	confirm->planned += violation->arm.planned;
}

static void note_late(const struct rfs_campaign *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->pairs->n; i++)
		n += c->pairs->list[i]->arm.late;
	if (n)
		rfs_note("%zu of %zu pairs come late: each run that saw one kept its accesses in order", n,
			 c->pairs->n);
}

void rfs_arms_rank(struct rfs_campaign *c)
{
	for (size_t i = 0; i < c->pairs->n; i++) {
		c->pairs->list[i]->arm.late = is_late(c->pairs->list[i]);
		if (!c->pairs->list[i]->arm.planned)
			c->pairs->list[i]->arm.rank = arms_rank_of(c->pairs->list[i]);
	}
	rfs_pair_groups_make(c->pairs, c->symbols);
	note_late(c);
}

bool rfs_arms_add(struct rfs_campaign *c, struct rfs_phase *confirm)
{
	const size_t before = c->pairs->n_settled + c->cycles->n_settled + c->violations->n_settled;

	rfs_pair_list_settle(c->pairs);
	rfs_cycle_list_settle(c->cycles);
	rfs_violation_list_settle(c->violations);
	rfs_arms_rank(c);
	for (size_t i = 0; i < c->pairs->n; i++)
		arms_add_pair(c, c->pairs->list[i], confirm);
	for (size_t i = 0; i < c->cycles->n; i++)
		arms_add_cycle(c, c->cycles->list[i], confirm);
	for (size_t i = 0; i < c->violations->n; i++)
		arms_add_violation(c, c->violations->list[i], confirm);
	return c->pairs->n + c->cycles->n + c->violations->n > before;
}

void rfs_arms_wait(struct rfs_campaign *c)
{
	for (size_t i = 0; i < c->pairs->n && c->options->budget > 0; i++) {
		struct rfs_pair *pair = c->pairs->list[i];

		if (pair->arm.turns == 1 && pair->arm.from < ROUND_OF_SETTLED &&
		    rfs_decide_wait(pair->confirmed, pair->reached, pair->arm.late))
			pair->arm.from = ROUND_OF_SETTLED;
	}
}

/* The arm gets no more runs. */
static void end_arm(struct rfs_arm *arm, struct rfs_phase *confirm)
{
	if (arm->planned <= arm->done)
		return;
	confirm->planned -= arm->planned - arm->done;
	arm->planned = arm->done;
}

void rfs_arms_end(struct rfs_campaign *c, struct rfs_phase *confirm)
{
	for (size_t i = 0; i < c->violations->n; i++)
		if (!rfs_violation_is_open(c->violations->list[i]))
			end_arm(&c->violations->list[i]->arm, confirm);
	for (size_t i = 0; i < c->cycles->n; i++)
		if (!rfs_cycle_is_open(c->cycles->list[i]))
			end_arm(&c->cycles->list[i]->arm, confirm);
}
