/* prove.c - rounds of batches under policy dpor, and what they have covered at the end. */
#include "supervisor/campaign/phases/prove.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "policy/dpor/dpor_tree.h"
#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/error.h"
#include "supervisor/base/siteset.h"
#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/campaign/decisions/baseline.h"
#include "supervisor/campaign/decisions/limits.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/executions/progress.h"
#include "supervisor/campaign/executions/tally.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/failures/saved_run.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/settings.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/report/data/report_proof.h"

/* The plans of a batch. The tree depends on this number, so it is the same for each --jobs. */
#define PLANS 32
/* Executions of one fork server. It makes all of a round. */
#define ALIKE 1000
/* How often the rounds begin again, because a lesson or a new module has changed operations. */
#define BEGINNINGS 40

/* The rounds. The last one has no bound. */
static const uint32_t bounds[RFS_REPORT_PROOF_ROUNDS] = {0, 1, 2, RFS_DPOR_UNBOUNDED};
#define UNBOUNDED (RFS_REPORT_PROOF_ROUNDS - 1)

/*
 * The order of the rounds. The round without a bound executes one schedule of each order only, so it may need fewer
 * executions than those with preemptions. So it has a try before each of them: MOST executions, and FACTOR times those
 * that were made so far.
 */
#define TRY_MOST 500
#define TRY_FACTOR 2
static const struct turn {
	size_t round;
	bool is_try;
} turns[] = {{0, false}, {UNBOUNDED, true}, {1, false}, {UNBOUNDED, true}, {2, false}, {UNBOUNDED, false}};

struct prover {
	struct rfs_campaign *c;
	const struct rfs_policy_ops *policy;
	struct rfs_dpor_tree *trees[RFS_REPORT_PROOF_ROUNDS]; /* NULL: not begun */
	uint64_t failures[RFS_REPORT_PROOF_ROUNDS];
	uint64_t inconclusive[RFS_REPORT_PROOF_ROUNDS];
	uint64_t shares_calls[RFS_REPORT_PROOF_ROUNDS];
	size_t now;	      /* the round in progress */
	uint64_t first, made; /* executions, which are numbered: before the first round, and so far */
	uint64_t known;	      /* knowledge() when the first round began */
	double deadline;
	struct rfs_blob plans[PLANS];
};

static void prove_make(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct prover *prover = arg;
	struct rfs_campaign *c = prover->c;

	rfs_campaign_execution(c, "prove", 0, prover->policy, RFS_POINTS_MEMORY, out);
	snprintf(out->name, sizeof(out->name), "prove-%" PRIu64, prover->made + i + 1);
	out->spec.policy_blob = &prover->plans[i];
	out->spec.sites.visible = rfs_pair_list_sites(c->pairs)->sites;
	out->spec.sites.n_visible = rfs_pair_list_sites(c->pairs)->n;
	out->spec.sites.object_kinds = rfs_pair_list_object_kinds(c->pairs, rfs_pair_list_sites(c->pairs));
	out->alike = ALIKE;
}

static bool prove_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct prover *prover = arg;
	struct rfs_campaign *c = prover->c;
	struct rfs_signature signature;
	/* a tree contains schedules in which threads spin for long; that these do not end proves nothing */
	const bool spins = result->end == RFS_END_HANG;
	bool failed = !spins && rfs_run_failed(result, &signature), kept = false;
	struct rfs_blob saved = result->blob;

	(void)i;
	result->blob = (struct rfs_blob){0};
	rfs_campaign_note(c, execution, result);
	/* also a failure of the kind that the program has without rfsup */
	prover->failures[prover->now] += failed;
	failed = failed && rfs_campaign_failed(c, result);
	prover->shares_calls[prover->now] += result->shares_calls;
	/* in the sampling mode, other policies go on after a failure */
	c->enough |= failed && c->options->until_failure;
	if (rfs_dpor_add(prover->trees[prover->now], &saved) != 0 || spins || !rfs_run_conclusive(result))
		prover->inconclusive[prover->now]++;
	if (!spins)
		kept = rfs_finding_note(c, "prove", execution, result);
	rfs_campaign_progress(c, failed);
	if (!kept && c->options->keep_records)
		kept = rfs_saved_run_save(c, execution, result);
	free(saved.data);
	return kept;
}

/* What the operations of an execution depend on, apart from its schedule. */
static uint64_t knowledge(const struct rfs_campaign *c)
{
	return rfs_pool_spin(c->pool)->n + rfs_pool_restarts(c->pool) + c->tally->n_modules;
}

/* Makes the next executions of the round. False if there are none, or if no more can be made. */
static bool prove_batch(struct prover *prover)
{
	struct rfs_campaign *c = prover->c;
	struct rfs_batch batch = {
		.lasting = true, .deadline = prover->deadline, .make = prove_make, .done = prove_done, .arg = prover};
	enum rfs_pool_end end;

	batch.n = rfs_dpor_next(prover->trees[prover->now], prover->plans, PLANS);
	if (!batch.n)
		return false;
	c->phases->list[c->phases->now].planned += batch.n;
	end = rfs_campaign_batch(c, &batch);
	prover->made += batch.n;
	for (size_t i = 0; i < batch.n; i++)
		free(prover->plans[i].data);
	if (!c->limits->settled)
		rfs_limits_by_controlled_runs(c->limits, c->baseline);
	return end == RFS_POOL_DONE && knowledge(c) == prover->known;
}

/* True if the round covers all schedules, whatever their preemptions. */
static bool covers_all(const struct prover *prover, size_t round)
{
	struct rfs_dpor_counts counts;

	if (!prover->trees[round] || rfs_dpor_waiting(prover->trees[round]) || prover->inconclusive[round])
		return false;
	rfs_dpor_counts(prover->trees[round], &counts);
	return !counts.bounded && !counts.strayed && !counts.cut;
}

/* False if no later turn is of use. */
static bool prove_take_turn(struct prover *prover, const struct turn *turn)
{
	const uint64_t before = prover->made;
	const uint64_t most = turn->is_try ? TRY_MOST + TRY_FACTOR * (before - prover->first) : UINT64_MAX;
	bool more = true;

	prover->now = turn->round;
	if (!prover->trees[turn->round])
		prover->trees[turn->round] = rfs_dpor_tree_new(bounds[turn->round]);
	while (more && prover->made - before < most)
		more = prove_batch(prover);
	return !covers_all(prover, turn->round) && (turn->is_try || !rfs_dpor_waiting(prover->trees[turn->round])) &&
	       knowledge(prover->c) == prover->known;
}

static void end_rounds(struct prover *prover)
{
	for (size_t i = 0; i < RFS_REPORT_PROOF_ROUNDS; i++) {
		rfs_dpor_tree_free(prover->trees[i]);
		prover->trees[i] = NULL;
		prover->failures[i] = prover->inconclusive[i] = prover->shares_calls[i] = 0;
	}
}

static void report_rounds(const struct prover *prover)
{
	struct rfs_campaign *c = prover->c;
	struct rfs_report_proof *proof = c->proof;

	for (size_t i = 0; i < RFS_REPORT_PROOF_ROUNDS; i++) {
		struct rfs_dpor_counts counts;
		struct rfs_report_proof_round *round = &proof->rounds[proof->n];

		if (!prover->trees[i])
			continue;
		rfs_dpor_counts(prover->trees[i], &counts);
		*round = (struct rfs_report_proof_round){
			.bounded = i != UNBOUNDED,
			.bound = bounds[i],
			.executions = counts.complete,
			.redundant = counts.redundant,
			.failures = prover->failures[i],
			.left = rfs_dpor_waiting(prover->trees[i]),
		};
		round->ended = round->left == 0;
		proof->n++;
		proof->inconclusive += prover->inconclusive[i] + counts.cut;
		proof->strayed += counts.strayed;
		proof->shares_calls += prover->shares_calls[i];
		proof->repeated += counts.repeated;
		proof->timed += counts.timed;
		proof->torn |= counts.torn;
		if (counts.points > proof->places)
			proof->places = counts.points;
		proof->all |= covers_all(prover, i);
	}
	/* a round that covers all schedules makes up for what other rounds could not decide */
	if (proof->all)
		proof->inconclusive = 0;
	proof->failed_elsewhere = proof->all && !rfs_report_proof_covered(proof)->failures &&
				  (c->tally->first_failure || c->baseline->failures || c->baseline->asleep);
	if (!proof->all && !c->enough)
		c->phases->list[c->phases->now].planned += proof->rounds[proof->n - 1].left;
}

double rfs_prove_others(double budget)
{
	return budget / 2;
}

void rfs_prove(struct rfs_campaign *c)
{
	const double whole = c->settings->options->budget;
	struct prover prover = {.c = c,
				.policy = rfs_policy_find("dpor"),
				.deadline = whole > 0 ? c->started + rfs_budget_replays(whole) : 0};

	c->options = c->settings->options; /* the whole budget again */
	rfs_campaign_phase(c, "prove", 0);
	rfs_progress_phase(c->progress, "prove", 0);
	c->proof->made = true;
	c->proof->points = c->options->points_given ? c->options->run.points : RFS_POINTS_MEMORY;
	for (unsigned i = 0; i < BEGINNINGS; i++) {
		end_rounds(&prover);
		prover.known = knowledge(c);
		prover.first = prover.made;
		for (size_t k = 0; k < sizeof(turns) / sizeof(*turns); k++)
			if (!prove_take_turn(&prover, &turns[k]))
				break;
		if (knowledge(c) == prover.known || c->end != RFS_POOL_DONE || c->enough)
			break;
	}
	report_rounds(&prover);
	end_rounds(&prover);
	rfs_pool_rest(c->pool);
	rfs_findings_replay(c);
}
