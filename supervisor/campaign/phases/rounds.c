/* rounds.c - plans the turns of a round, makes their runs in order, and takes in what they predicted. */
#include "supervisor/campaign/phases/rounds.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/error.h"
#include "supervisor/base/path.h"
#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/campaign/decisions/decisions.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/ending.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/executions/progress.h"
#include "supervisor/campaign/executions/tally.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/failures/harm.h"
#include "supervisor/campaign/judge/cause.h"
#include "supervisor/campaign/judge/judge.h"
#include "supervisor/campaign/phases/arms.h"
#include "supervisor/campaign/phases/explore.h"
#include "supervisor/campaign/phases/sampling.h"
#include "supervisor/campaign/predicted/confirm.h"
#include "supervisor/campaign/predicted/cycles.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/predicted/pairs_txt.h"
#include "supervisor/campaign/predicted/violations.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/run_result.h"

/* The replays that a finding probably needs, and the runs that test a failure of a pair. */
#define REPLAYS_OF_ONE 2
#define RUNS_OF_A_TEST (2 * RFS_HARM_RUNS)

/* How many runs a sampler makes before the next one, in round 2 and later. All samplers share a fork server, so they
 * can change often. With --jobs, runs of one sampler that learns are made one after the other, and others must wait. */
#define SOME_SAMPLES 2
/* Some of them learn from each run (rfs_sampling_weight()). In round 1, each of these makes up to this many more runs.
 */
#define LEARNER_MORE 8
#define MORE_SAMPLES 8
/* Under a budget, runs of pairs are made in batches of about this size. After each batch, the time that is left is
 * computed again, because its failures need time for replays. */
#define BATCH_MIN 16
/* This many predicted deadlocks have their turns before all else. The others take turns with other predictions, because
 * they may be impossible. */
#define CYCLES_FIRST 4
/* This many predictions have a turn before some samplers have one. */
#define PREDICTIONS_BETWEEN 4
/*
 * A campaign begins with a mix of runs: after each first run of a prediction, one run of these samplers, so that a
 * wrong prediction costs one run and not the turn of another arm. The simplest schedules come first. rff has learned
 * from the predicting runs, and needs two runs to use it. dpor is there only while its tree is small. A name occurs as
 * often as the sampler has a run. The order is the best of several on the programs of tests/bench/queue.sh.
 */
static const char *const opening[] = {"sweep", "sweep", "rff",	"rff",	"atom", "atom", "sweep",
				      "delay", "dpor",	"dpor", "dpor", "dpor", "pos",	"surw"};
#define OPENING (sizeof(opening) / sizeof(*opening))

/* A run of the batch. */
struct item {
	struct rfs_armed armed;
	uint64_t i, alike; /* number of the run; how many runs of the round one fork server can make */
};

/* An arm in the current round. */
struct turn {
	struct rfs_armed armed;
	size_t number;	/* of the pair, cycle, violation or sampler */
	uint64_t until; /* how many runs the arm has at the end of its turn */
};

struct rounds {
	struct rfs_campaign *c;
	unsigned round;		 /* from 1 */
	size_t confirm, explore; /* numbers of the phases */
	bool explores;
	double began;			  /* seconds of the campaign that were spent before */
	const struct rfs_site_set *sites; /* switch points of this round */
	/* the first predicted deadlocks, then all other predictions in the order of the round, then the samplers */
	struct turn *turns;
	size_t n_turns, n_cycles, n_confirm; /* each with those before */
	uint64_t mean;			     /* stops of a run of the rounds before; 0: unknown */
	size_t opened;			     /* how many samplers of the opening had their run */
	uint64_t exploring;		     /* runs of all samplers in this round, which share a fork server */
	struct item *items;		     /* of the batch in progress */
	size_t n_items;
};

/* ---- a batch ---- */

static void rounds_make(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct rounds *r = arg;
	const struct item *item = &r->items[i];

	rfs_armed_make(r->c, &item->armed, item->i, r->sites, out);
	out->alike = item->alike;
}

static bool rounds_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	const struct rounds *r = arg;
	const struct item *item = &r->items[i];

	return rfs_armed_done(r->c, &item->armed, item->i, execution, result);
}

/* Adds the next runs of the turn to the batch, at most `most`. */
static void add_items(struct rounds *r, const struct turn *turn, uint64_t most)
{
	const uint64_t done = turn->armed.arm->done, left = turn->until > done ? turn->until - done : 0;
	uint64_t n = left < most ? left : most;

	if (turn->armed.sampling)
		n = rfs_sampling_batch_size(turn->armed.sampling, n);
	r->items = xreallocarray(r->items, r->n_items + n + 1, sizeof(*r->items));
	for (uint64_t i = 0; i < n; i++)
		r->items[r->n_items++] = (struct item){
			.armed = turn->armed,
			.i = turn->armed.arm->done + i,
			.alike = turn->armed.sampling ? r->exploring : n,
		};
}

/* ---- time ---- */

static bool is_unreplayed(const struct rfs_saved_run *kept)
{
	return kept->replayed == RFS_REPLAY_NOT_YET;
}

/* How long the replays of what was found will probably take, if a replay takes as long as the runs so far. */
static double replay_seconds(const struct rounds *r)
{
	const struct rfs_campaign *c = r->c;
	uint64_t replays = 0, runs = 0;
	double seconds = 0;

	for (size_t i = 0; i < c->findings->n; i++)
		replays += REPLAYS_OF_ONE * is_unreplayed(c->findings->list[i].first);

	for (size_t i = 0; i < c->pairs->n; i++) {
		const struct rfs_pair *pair = c->pairs->list[i];

		replays += REPLAYS_OF_ONE * pair->has_created;
		for (size_t k = 0; k < pair->n_failures; k++)
			replays += REPLAYS_OF_ONE * is_unreplayed(&pair->failures[k].first) +
				   RUNS_OF_A_TEST * !pair->failures[k].tested;
	}
	for (size_t i = 0; i < c->phases->n; i++) {
		runs += c->phases->list[i].runs;
		seconds += c->phases->list[i].seconds;
	}
	return runs ? (double)replays * seconds / (double)runs : 0;
}

static bool exploring(const struct rounds *r)
{
	for (size_t i = 0; i < r->c->samplings->n; i++)
		if (rfs_arm_left(&r->c->samplings->list[i].arm))
			return true;
	return false;
}

static struct rfs_budget rounds_budget_of(const struct rounds *r)
{
	const struct rfs_campaign *c = r->c;

	return (struct rfs_budget){
		.whole = c->options->budget,
		.spent = rfs_clock() - c->started,
		.began = r->began,
		.explored = r->explores ? c->phases->list[r->explore].seconds : 0,
		.exploring = exploring(r),
		.replays = replay_seconds(r),
	};
}

/* Runs the items, if the budget has time for runs of this kind. */
static void run_items(struct rounds *r, bool pairs)
{
	struct rfs_batch batch = {.n = r->n_items, .lasting = true, .make = rounds_make, .done = rounds_done, .arg = r};
	struct rfs_budget budget = rounds_budget_of(r);
	double seconds = pairs ? rfs_budget_pairs(&budget) : rfs_budget_explore(&budget);

	r->n_items = 0;
	if (!batch.n || (budget.whole > 0 && seconds <= 0))
		return;
	if (budget.whole > 0)
		batch.deadline = rfs_clock() + seconds;
	r->c->phases->now = pairs ? r->confirm : r->explore;
	if (pairs)
		rfs_campaign_batch(r->c, &batch);
	else
		rfs_sampling_batch(r->c, r->items[0].armed.sampling, &batch);
	rfs_judge_new(r->c);
}

/* ---- a round ---- */

static int compare_turns(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;
	int order = rfs_arm_compare(x->armed.arm, y->armed.arm);

	return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* Adds the turn of turn->armed.arm, if it has runs left. */
static void add_turn(struct rounds *r, const struct turn *turn)
{
	uint64_t runs = rfs_arm_turn(turn->armed.arm, r->round, r->mean);

	if (!runs)
		return;
	r->turns = xreallocarray(r->turns, r->n_turns + 1, sizeof(*r->turns));
	if (turn->armed.pair)
		turn->armed.pair->begun = true;
	r->turns[r->n_turns] = *turn;
	r->turns[r->n_turns++].until = turn->armed.arm->done + runs;
}

/* Adds the turns of deadlocks from number i on, until there are `most` turns. Returns the number of the next one. */
static size_t add_cycle_turns(struct rounds *r, size_t i, size_t most)
{
	for (; i < r->c->cycles->n && r->n_turns < most; i++) {
		struct rfs_predicted_cycle *cycle = r->c->cycles->list[i];

		if (rfs_cycle_is_open(cycle))
			add_turn(r, &(struct turn){.armed = {.arm = &cycle->arm, .cycle = cycle}, .number = i});
	}
	return i;
}

static void add_violation_turns(struct rounds *r, bool orders)
{
	for (size_t i = 0; i < r->c->violations->n; i++) {
		struct rfs_predicted_violation *violation = r->c->violations->list[i];

		if (rfs_violation_is_open(violation) && rfs_violation_is_order(violation) == orders)
			add_turn(r, &(struct turn){.armed = {.arm = &violation->arm, .violation = violation},
						   .number = i});
	}
}

static void add_pair_turns(struct rounds *r)
{
	const size_t first = r->n_turns;

	for (size_t i = 0; i < r->c->pairs->n; i++)
		add_turn(r, &(struct turn){.armed = {.arm = &r->c->pairs->list[i]->arm, .pair = r->c->pairs->list[i]},
					   .number = i});
	if (r->n_turns > first)
		qsort(r->turns + first, r->n_turns - first, sizeof(*r->turns), compare_turns);
}

/* Adds the turns of pairs, violations and deadlocks from number `cycle` on, mixed. */
static void add_mixed_turns(struct rounds *r, size_t cycle)
{
	size_t next[RFS_PREDICTION_KINDS], n[RFS_PREDICTION_KINDS];
	const size_t first = r->n_turns;
	enum rfs_prediction_kind *kinds;
	struct turn *mixed;

	for (int kind = 0; kind < RFS_PREDICTION_KINDS; kind++) {
		next[kind] = r->n_turns;
		if (kind == RFS_PREDICTED_PAIR)
			add_pair_turns(r);
		else if (kind == RFS_PREDICTED_CYCLE)
			(void)add_cycle_turns(r, cycle, SIZE_MAX);
		else
			add_violation_turns(r, kind == RFS_PREDICTED_ORDER);
		n[kind] = r->n_turns - next[kind];
	}
	r->n_confirm = r->n_turns;
	if (r->n_turns == first)
		return;
	kinds = xcalloc(r->n_turns - first, sizeof(*kinds));
	mixed = xcalloc(r->n_turns - first, sizeof(*mixed));
	rfs_decide_mix(n, kinds);
	for (size_t i = 0; i < r->n_turns - first; i++)
		mixed[i] = r->turns[next[kinds[i]]++];
	memcpy(r->turns + first, mixed, (r->n_turns - first) * sizeof(*mixed));
	free(mixed);
	free(kinds);
}

static void add_sampler_turn(struct rounds *r, struct rfs_sampling *sampling, size_t number)
{
	const uint64_t weight = rfs_sampling_weight(sampling);
	struct rfs_arm *arm = &sampling->arm;
	struct turn *turn;
	uint64_t more;

	add_turn(r, &(struct turn){.armed = {.arm = arm, .sampling = sampling}, .number = number});
	if (!rfs_arm_left(arm) || weight == 1)
		return;
	turn = &r->turns[r->n_turns - 1];
	more = (weight - 1) * (turn->until - arm->done) + (r->round == 1 ? LEARNER_MORE : 0);
	turn->until += more < arm->planned - turn->until ? more : arm->planned - turn->until;
}

static void add_stops(const struct rfs_arm *arm, uint64_t *runs, uint64_t *stops)
{
	*runs += arm->done;
	*stops += arm->stops;
}

/* The stops of a run of any arm; 0: there was none. */
static uint64_t mean_stops(const struct rfs_campaign *c)
{
	uint64_t runs = 0, stops = 0;

	for (size_t i = 0; i < c->pairs->n; i++)
		add_stops(&c->pairs->list[i]->arm, &runs, &stops);
	for (size_t i = 0; i < c->cycles->n; i++)
		add_stops(&c->cycles->list[i]->arm, &runs, &stops);
	for (size_t i = 0; i < c->violations->n; i++)
		add_stops(&c->violations->list[i]->arm, &runs, &stops);
	for (size_t i = 0; i < c->samplings->n; i++)
		add_stops(&c->samplings->list[i].arm, &runs, &stops);
	return runs ? stops / runs : 0;
}

static void plan_round(struct rounds *r)
{
	struct rfs_campaign *c = r->c;
	size_t cycle;

	r->n_turns = 0;
	r->mean = mean_stops(c);
	r->sites = rfs_pair_list_sites(c->pairs);
	c->fault_points = c->fault_points_seen;
	cycle = add_cycle_turns(r, 0, CYCLES_FIRST);
	r->n_cycles = r->n_turns;
	add_mixed_turns(r, cycle);
	for (size_t i = 0; i < c->samplings->n; i++)
		add_sampler_turn(r, &c->samplings->list[i], i);
	r->exploring = 0;
	for (size_t i = r->n_confirm; i < r->n_turns; i++)
		r->exploring += r->turns[i].until - r->turns[i].armed.arm->done;
	rfs_progress_round(c->progress, r->round,
			   c->phases->list[r->confirm].planned +
				   (r->explores ? c->phases->list[r->explore].planned : 0));
	c->progress->pairs = c->pairs->n;
}

/* Under a budget, runs what there is once it is enough. */
static void run_enough(struct rounds *r)
{
	if (r->c->options->budget > 0 && r->n_items >= BATCH_MIN)
		run_items(r, true);
}

/* Makes at most `most` runs of a sampler that learns or runs without control. It has batches for itself. */
static void run_alone(struct rounds *r, const struct turn *turn, uint64_t most)
{
	const struct rfs_arm *arm = turn->armed.arm;
	uint64_t end = arm->done + most, before;

	run_items(r, false);
	do {
		before = arm->done;
		add_items(r, turn, end - before);
		run_items(r, false);
	} while (arm->done > before && arm->done < end);
}

static void run_some(struct rounds *r, uint64_t most, bool only_learners)
{
	for (size_t i = r->n_confirm; i < r->n_turns; i++) {
		const struct turn *turn = &r->turns[i];
		const unsigned weight = rfs_sampling_weight(turn->armed.sampling);

		if (only_learners && weight == 1)
			continue;
		if (rfs_sampling_alone(turn->armed.sampling))
			run_alone(r, turn, weight * most);
		else
			add_items(r, turn, weight * most);
	}
	run_items(r, false);
}

/* A sampler that lists schedules makes its first runs, which are the simplest ones, before most others. */
static void run_listed(struct rounds *r)
{
	run_items(r, true);
	for (size_t i = r->n_confirm; i < r->n_turns && r->explores; i++) {
		if (!rfs_sampling_lists(r->turns[i].armed.sampling))
			continue;
		add_items(r, &r->turns[i], UINT64_MAX);
		run_items(r, false);
	}
}

/* The turn of the next sampler of the opening; NULL: all had theirs. */
static const struct turn *next_of_opening(struct rounds *r)
{
	while (r->explores && r->opened < OPENING) {
		const char *name = opening[r->opened++];

		for (size_t i = r->n_confirm; i < r->n_turns; i++)
			if (rfs_sampling_is_of(r->turns[i].armed.sampling, name) &&
			    !rfs_sampling_tree_is_large(r->turns[i].armed.sampling))
				return &r->turns[i];
	}
	return NULL;
}

/* False if the opening has ended. */
static bool run_opening(struct rounds *r)
{
	const struct turn *turn = next_of_opening(r);

	if (!turn)
		return false;
	run_items(r, true);
	add_items(r, turn, 1);
	run_items(r, false);
	return true;
}

/* Runs at most `most` runs of each of the first predicted deadlocks that was not created yet. */
static void run_cycles(struct rounds *r, uint64_t most)
{
	for (size_t i = 0; i < r->n_cycles; i++) {
		if (!rfs_cycle_is_open(r->turns[i].armed.cycle))
			continue;
		add_items(r, &r->turns[i], most);
		run_enough(r);
		(void)run_opening(r);
	}
	run_items(r, true);
}

/* Samplers need not wait until all predictions had their turns, which may be many. */
static void run_samplers_between(struct rounds *r)
{
	const bool first = r->round == 1;

	if (!r->explores)
		return;
	run_items(r, true);
	run_some(r, first ? 1 : SOME_SAMPLES, first);
}

/* A deadlock that was created and a violation that has failed get no more runs. */
static void add_predicted(struct rounds *r, const struct turn *turn, uint64_t most, uint64_t best)
{
	const struct rfs_predicted_violation *violation = turn->armed.violation;

	if (turn->armed.cycle ? rfs_cycle_is_open(turn->armed.cycle) : !violation || rfs_violation_is_open(violation))
		add_items(r, turn, violation && !violation->violation.rank ? best : most);
	run_enough(r);
}

/* Runs at most `most` runs of each other prediction, and at most `best` of each violation with the best prospects. */
static void run_predicted(struct rounds *r, uint64_t most, uint64_t best)
{
	for (size_t i = r->n_cycles; i < r->n_confirm; i++) {
		const size_t n = i - r->n_cycles + 1;

		add_predicted(r, &r->turns[i], most, best);
		if (!run_opening(r) && n % PREDICTIONS_BETWEEN == 0 && i + 1 < r->n_confirm)
			run_samplers_between(r);
	}
	while (run_opening(r))
		;
	if (r->round == 1)
		run_listed(r);
	run_items(r, true);
}

/* Runs the turns of all samplers, a few runs of each at a time. */
static void run_samplers(struct rounds *r, uint64_t some)
{
	uint64_t before;

	if (!r->explores)
		return;
	do {
		before = r->c->phases->list[r->explore].runs;
		run_some(r, some, false);
	} while (r->c->phases->list[r->explore].runs > before);
}

static void end_round(struct rounds *r)
{
	struct rfs_campaign *c = r->c;

	for (size_t i = 0; i < r->n_turns; i++) {
		const struct turn *turn = &r->turns[i];

		if (turn->armed.sampling || turn->armed.arm->done == turn->until)
			rfs_arm_end_turn(turn->armed.arm);
		if (turn->armed.pair && turn->armed.arm->done == turn->armed.arm->half)
			rfs_confirm_half(c, turn->armed.pair);
	}
	if (r->explores)
		c->phases->list[r->explore].planned += rfs_samplings_share(c->samplings);
	rfs_arms_end(c, &c->phases->list[r->confirm]);
	rfs_arms_wait(c);
	if (rfs_arms_add(c, &c->phases->list[r->confirm])) {
		rfs_note("round %u: new predictions", r->round);
		rfs_pairs_txt_save(c);
	}
	/* under a budget, all verdicts wait until the last round: replays have their own part of it */
	for (size_t i = 0; i < c->pairs->n && c->options->budget <= 0; i++)
		if (!rfs_arm_left(&c->pairs->list[i]->arm))
			rfs_judge(c, i);
}

/* False if nothing was run. */
static bool run_round(struct rounds *r)
{
	uint64_t before = r->c->tally->runs;

	plan_round(r);
	for (uint64_t i = 0; i < RFS_FIRST_TURN && r->round == 1; i++)
		run_cycles(r, 1);
	run_cycles(r, UINT64_MAX);
	if (r->round == 1) {
		/*
		 * One run of each arm at a time: what shows at once is seen at once. The best violations begin with two
		 * runs, which have different options.
		 */
		for (uint64_t i = 0; i < RFS_FIRST_TURN; i++) {
			run_predicted(r, 1, i ? 1 : 2);
			run_some(r, 1, false);
		}
	} else {
		run_predicted(r, UINT64_MAX, UINT64_MAX);
		run_samplers(r, r->round == 2 ? SOME_SAMPLES : MORE_SAMPLES);
	}
	rfs_pool_rest(r->c->pool);
	if (r->c->tally->runs == before)
		return false;
	end_round(r);
	return true;
}

/* Whether pairs have their first turn in a later round. */
static bool some_wait(const struct rounds *r)
{
	bool wait = false;

	for (size_t i = 0; i < r->c->pairs->n; i++)
		wait |= r->c->pairs->list[i]->arm.from > r->round && rfs_arm_left(&r->c->pairs->list[i]->arm);
	return wait;
}

void rfs_rounds(struct rfs_campaign *c, bool explores)
{
	struct rounds r = {.c = c, .explores = explores, .began = rfs_clock() - c->started};

	r.confirm = rfs_campaign_phase(c, "confirm", 0);
	if (explores) {
		r.explore = rfs_campaign_phase(c, "explore", c->options->explore);
		rfs_explore_begin(c);
	}
	rfs_judge_new(c);
	rfs_progress_phase(c->progress, "rounds", 0);
	(void)rfs_arms_add(c, &c->phases->list[r.confirm]);
	c->run_seconds = rfs_budget_run(c->options->budget, c->slow);
	do
		r.round++;
	while (run_round(&r) || some_wait(&r));
	c->run_seconds = 0;
	rfs_judge_all(c);
	free(r.turns);
	free(r.items);
}
