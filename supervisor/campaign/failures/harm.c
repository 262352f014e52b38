/* harm.c - makes runs of both orders, counts which failed, and compares the counts by decisions/significance.c. */
#include "supervisor/campaign/failures/harm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/decisions/baseline.h"
#include "supervisor/campaign/decisions/significance.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/ending.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/run_result.h"

/* The first runs of a test in each order. If equally many fail in both, the test is not continued. */
#define FIRST_RUNS 5
/* The runs of a test in each order if runs that fail are slow. If all fail in one order only, p is 1e-5. */
#define SLOW_RUNS 10
/* How many runs the search makes up to one race, and how many must fail. */
#define PROBES 4
#define PROBES_FAIL 2

/* A batch of runs. Even ones have the order of the failed run. */
struct batch {
	struct rfs_campaign *c;
	const struct rfs_harm_case *failure;
	uint64_t race, first; /* number of the first run */
	bool one_order;	      /* all have the order of the failed run */
	char **options;	      /* of the policy, for each run of the batch */
	uint64_t runs[2], failed[2];
	uint64_t same[2]; /* of the failed ones, those that failed in the same place */
};

static struct rfs_harm_run harm_run_of(const struct batch *batch, uint64_t i)
{
	uint64_t number = batch->first + i;

	return (struct rfs_harm_run){
		.race = batch->race,
		.other = !batch->one_order && number % 2,
		.continuation = (unsigned)(batch->one_order ? number : number / 2) + 1,
	};
}

static void harm_make(void *arg, uint64_t i, struct rfs_execution *out)
{
	struct batch *batch = arg;
	struct rfs_harm_run run = harm_run_of(batch, i);

	free(batch->options[i]);
	batch->options[i] = batch->failure->make(batch->failure->arg, &run, out);
	snprintf(out->name, sizeof(out->name), "%.40s-order-%" PRIu64, batch->failure->name, batch->first + i);
}

static bool harm_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct batch *batch = arg;
	struct rfs_harm_run run = harm_run_of(batch, i);
	struct rfs_signature signature;
	bool failed;

	rfs_campaign_note_replay(batch->c, execution, result);
	if (!rfs_run_conclusive(result) || !batch->failure->counts(batch->failure->arg, &run, result))
		return false;
	failed = rfs_run_failed(result, &signature) && (rfs_signature_equal(&signature, &batch->failure->signature) ||
							!rfs_baseline_always(batch->c->baseline, &signature));
	batch->runs[run.other]++;
	batch->failed[run.other] += failed;
	batch->same[run.other] +=
		failed && (!batch->failure->same || batch->failure->same(batch->failure->arg, result));
	return false;
}

/* The runs of a test in both orders together. */
static uint64_t runs_of(const struct rfs_harm_case *failure)
{
	return 2 * (failure->slow ? SLOW_RUNS : RFS_HARM_RUNS);
}

/* Makes the next n runs. */
static void harm_run_batch(struct batch *batch, uint64_t n)
{
	const struct rfs_batch runs = {.n = n, .lasting = true, .make = harm_make, .done = harm_done, .arg = batch};

	batch->options = xcalloc(n, sizeof(*batch->options));
	rfs_campaign_replays(batch->c, &runs);
	for (uint64_t i = 0; i < n; i++)
		free(batch->options[i]);
	free(batch->options);
	batch->first += n;
}

/* True if the program fails in most runs that repeat the failed run up to this race, the race included. */
static bool fails_after(struct rfs_campaign *c, const struct rfs_harm_case *failure, uint64_t race)
{
	struct batch batch = {.c = c, .failure = failure, .race = race, .one_order = true};

	/* the test of this race must not see the same runs again */
	batch.first = RFS_HARM_RUNS;
	harm_run_batch(&batch, PROBES);
	return batch.failed[0] >= PROBES_FAIL;
}

static uint64_t find_race(struct rfs_campaign *c, const struct rfs_harm_case *failure)
{
	uint64_t low = 0, high = failure->races - 1;

	while (low < high && !rfs_ending_over(c)) {
		uint64_t middle = low + (high - low) / 2;

		if (fails_after(c, failure, middle))
			high = middle;
		else
			low = middle + 1;
	}
	return high;
}

/* Takes the runs that failed in the same place if they separate the orders better. */
static void prefer_same(const struct batch *batch, struct rfs_harm *out)
{
	const double p = rfs_fisher(batch->same, batch->runs);

	if (p < out->p) {
		out->failed[0] = batch->same[0];
		out->failed[1] = batch->same[1];
		out->p = p;
	}
	out->p = out->p * 2 < 1 ? out->p * 2 : 1;
}

/* Tests the order of one race. False if nothing was run. */
static bool harm_test_race(struct rfs_campaign *c, const struct rfs_harm_case *failure, uint64_t race,
			   struct rfs_harm *out)
{
	struct batch batch = {.c = c, .failure = failure, .race = race};

	harm_run_batch(&batch, 2 * FIRST_RUNS);
	if (batch.failed[0] != batch.failed[1] || batch.same[0] != batch.same[1] || batch.runs[0] != batch.runs[1])
		harm_run_batch(&batch, runs_of(failure) - 2 * FIRST_RUNS);
	*out = (struct rfs_harm){
		.race = race,
		.runs = {batch.runs[0], batch.runs[1]},
		.failed = {batch.failed[0], batch.failed[1]},
		.p = rfs_fisher(batch.failed, batch.runs),
		.corrected = 1,
	};
	if (batch.same[0] != batch.failed[0] || batch.same[1] != batch.failed[1])
		prefer_same(&batch, out);
	rfs_note("run %s: race %" PRIu64 " of %" PRIu64 ": failed in %" PRIu64 " of %" PRIu64
		 " runs with this order, in %" PRIu64 " of %" PRIu64 " with the other (p = %.2g)",
		 failure->name, race + 1, failure->races, out->failed[0], out->runs[0], out->failed[1], out->runs[1],
		 out->p);
	return out->runs[0] + out->runs[1] > 0;
}

void rfs_harm_test(struct rfs_campaign *c, const struct rfs_harm_case *failure, struct rfs_harm *out)
{
	struct rfs_harm last;
	uint64_t race;

	*out = (struct rfs_harm){.p = 1, .corrected = 1};
	if (!failure->races)
		return;
	if (rfs_ending_over(c)) {
		c->ending->tests += runs_of(failure);
		return;
	}
	race = find_race(c, failure);
	if (harm_test_race(c, failure, race, out))
		out->tests = 1;
	if (rfs_ending_over(c) && out->runs[0] + out->runs[1] < runs_of(failure))
		c->ending->tests += runs_of(failure) - out->runs[0] - out->runs[1];
	if (race != failure->races - 1 && out->p >= RFS_HARM_LIMIT &&
	    harm_test_race(c, failure, failure->races - 1, &last)) {
		last.tests = out->tests + 1;
		out->tests = last.tests;
		if (last.p < out->p)
			*out = last;
		out->p = out->p * out->tests < 1 ? out->p * out->tests : 1;
	}
	rfs_pool_rest(c->pool);
}

void rfs_harms_correct(struct rfs_harm **harms, size_t n)
{
	double *p = xcalloc(n + 1, sizeof(*p));
	size_t tested = 0;

	for (size_t i = 0; i < n; i++)
		if (harms[i]->tests)
			p[tested++] = harms[i]->p;
	rfs_holm(p, tested);
	tested = 0;
	for (size_t i = 0; i < n; i++)
		harms[i]->corrected = harms[i]->tests ? p[tested++] : 1;
	free(p);
}

bool rfs_harm_shown(const struct rfs_harm *harm)
{
	return harm->tests && harm->corrected < RFS_HARM_LIMIT;
}
