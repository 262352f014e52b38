/* cause.c - reads traces of failed runs, and tries the races in them by runs up to each. Verdicts are in judge.c. */
#include "supervisor/campaign/judge/cause.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/site.h"
#include "supervisor/campaign/decisions/minimise.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/ending.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/failures/harm.h"
#include "supervisor/campaign/failures/saved_run.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/trace_file.h"

/* How many races of a failed run are tried. One run of each shows whether the race can be created again. */
#define TRIES 16
/* How many of them are tested. A test makes up to 40 runs. */
#define TESTS 4
/* How many accesses of a failed run are looked at. Each is compared with the whole trace, which may be long. */
#define LOOKS 1000
/* How many findings get such a test. */
#define FINDINGS 10
/* At most this many runs are made to get a failed one for the report. */
#define SHOW_RUNS 20

/* Two operations of the trace that may race, by index. */
struct race {
	struct rfs_pair *pair;
	size_t first, second; /* second NONE: the failure came before the other thread got there */
	/* The other thread frees the memory of the first operation, which is no operation of this run, and came before.
	 */
	bool was_freed;
};
#define NONE SIZE_MAX

struct cause {
	struct rfs_campaign *c;
	const struct rfs_finding *finding;
	struct rfs_execution execution; /* of the failed run, with its choices as a schedule */
	struct rfs_choices choices;
	struct rfs_blob blob;
	struct rfs_trace_entry *trace;
	size_t n_trace;
	struct race race; /* the one that is tried */
	unsigned tests;
};

/* Whether the thread itself has executed the operation, and not its store buffer. */
static bool is_operation(const struct rfs_trace_entry *entry)
{
	return entry->kind < RFS_OP_COUNT &&
	       (entry->access & (RFS_ACCESS_FLUSH | RFS_ACCESS_ATOMIC)) != RFS_ACCESS_FLUSH;
}

/* A set of bits. Bit s: the operation is an access at statement s of the pair. */
static unsigned statements_of(const struct cause *cause, const struct rfs_pair *pair,
			      const struct rfs_trace_entry *entry)
{
	const struct rfs_run_result *result = &cause->finding->first->result;
	unsigned statements = 0;
	uint64_t offset;
	size_t module;

	if (entry->kind != RFS_OP_ACCESS || (entry->access & RFS_ACCESS_FLUSH) ||
	    !rfs_site_split(entry->site, &module, &offset) || module >= result->n_modules)
		return 0;
	for (unsigned s = 0; s < 2; s++)
		for (size_t i = 0; i < pair->statements.statement[s].n_sites; i++) {
			const struct rfs_site_ref *site = &pair->statements.statement[s].sites[i];

			if (site->offset == offset && strcmp(site->module, result->modules[module].path) == 0)
				statements |= 1u << s;
		}
	return statements;
}

/* Whether two accesses of two threads are to the same memory, one of them writes, and not both are atomic. */
static bool cause_conflict(const struct rfs_trace_entry *a, const struct rfs_trace_entry *b)
{
	return a->thread != b->thread && a->name == b->name && a->index == b->index &&
	       a->offset < b->offset + b->size && b->offset < a->offset + a->size &&
	       ((a->access | b->access) & RFS_ACCESS_WRITE) && !(a->access & b->access & RFS_ACCESS_ATOMIC);
}

/* The last operation before `second` that may race with it. False: none. */
static bool cause_find_first(const struct cause *cause, struct rfs_pair *pair, size_t second, struct race *out)
{
	const struct rfs_trace_entry *later = &cause->trace[second];
	unsigned of_later = statements_of(cause, pair, later);

	for (size_t i = second; of_later && i-- > 0;) {
		const struct rfs_trace_entry *earlier = &cause->trace[i];
		unsigned both = cause_conflict(earlier, later) ? statements_of(cause, pair, earlier) : 0;

		if (!((both & 1 && of_later & 2) || (both & 2 && of_later & 1)))
			continue;
		*out = (struct race){.pair = pair, .first = i, .second = second};
		return true;
	}
	return false;
}

/* How many operations the thread of this entry has executed before it. */
static uint64_t operations_before(const struct cause *cause, size_t at)
{
	uint64_t n = 0;

	for (size_t i = 0; i < at; i++)
		n += is_operation(&cause->trace[i]) && cause->trace[i].thread == cause->trace[at].thread;
	return n;
}

/* ---- the test of one race ---- */

static char *cause_make(void *arg, const struct rfs_harm_run *run, struct rfs_execution *out)
{
	struct cause *cause = arg;
	const struct race *race = &cause->race;
	char *options, *second = race->second == NONE ? xstrdup("")
						      : xasprintf(",second=%u,second_at=%" PRIu64,
								  cause->trace[race->second].thread + 1u,
								  operations_before(cause, race->second));

	options = xasprintf("first=%u,first_at=%" PRIu64 "%s,order=%d,continue=%u",
			    cause->trace[race->first].thread + 1u, operations_before(cause, race->first), second,
			    run->other != race->was_freed ? 2 : 1, run->continuation);
	free(second);
	*out = cause->execution;
	rfs_choices_follow(&cause->choices, &cause->blob, out);
	out->spec.policy_options = options;
	out->spec.plan.pair = &race->pair->statements;
	return options;
}

static bool cause_counts(void *arg, const struct rfs_harm_run *run, const struct rfs_run_result *result)
{
	(void)arg;
	(void)run;
	return result->n_created > 0;
}

static bool cause_same(void *arg, const struct rfs_run_result *result)
{
	const struct cause *cause = arg;

	return rfs_finding_has(cause->c, cause->finding, result);
}

/* Makes one run in the order of the failed run. Returns its options; NULL: there is no result. */
static char *make_one(struct cause *cause, unsigned continuation, bool keep, struct rfs_execution *execution,
		      struct rfs_run_result *result)
{
	const struct rfs_harm_run run = {.continuation = continuation};
	char *options = cause_make(cause, &run, execution);

	snprintf(execution->name, sizeof(execution->name), "%.40s-race-%u", cause->finding->first->execution.name,
		 continuation);
	if (rfs_campaign_one(cause->c, execution, keep, result))
		return options;
	free(options);
	return NULL;
}

/* Whether the race is created again in the recorded order. */
static bool can_be_created(struct cause *cause)
{
	struct rfs_execution execution;
	struct rfs_run_result result;
	char *options = make_one(cause, RFS_HARM_RUNS + 1, false, &execution, &result);
	bool created = options && result.n_created > 0;

	if (options)
		rfs_run_result_release(&result);
	free(options);
	return created;
}

/* Adds the failure to the pair, with a run of the test that shows it. */
static void add_failure(struct cause *cause, const struct rfs_harm *harm)
{
	struct rfs_campaign *c = cause->c;
	struct rfs_pair *pair = cause->race.pair;

	for (unsigned i = 1; i <= SHOW_RUNS; i++) {
		struct rfs_execution execution;
		struct rfs_run_result result;
		struct rfs_pair_failure *failure;
		char *options = make_one(cause, i, true, &execution, &result);

		if (!options)
			return;
		if (!result.n_created || !rfs_finding_has(c, cause->finding, &result)) {
			rfs_pool_discard(c->pool, &execution);
			rfs_run_result_release(&result);
			free(options);
			continue;
		}
		pair->failures = xreallocarray(pair->failures, pair->n_failures + 1, sizeof(*pair->failures));
		failure = &pair->failures[pair->n_failures++];
		*failure = (struct rfs_pair_failure){
			.runs = cause->finding->runs, .tested = true, .harm = *harm, .options = options};
		(void)rfs_failure_key_init(c, &result, &failure->key);
		rfs_saved_run_take(&failure->first, &execution, &result);
		rfs_saved_run_replay(c, &failure->first);
		pair->decided = false;
		if (!pair->confirmed) {
			pair->runs++;
			pair->reached[0]++;
			pair->reached[1]++;
			pair->confirmed++;
			pair->failed++;
			pair->judged = true;
			c->n_confirmed++;
		}
		return;
	}
}

/* True if the order of the race decides whether the program fails. */
static bool cause_test_race(struct cause *cause)
{
	const struct rfs_harm_case test = {
		.races = 1,
		.name = cause->finding->first->execution.name,
		.signature = cause->finding->key.signature,
		.slow = cause->finding->key.signature.kind == RFS_FAILURE_HANG,
		.make = cause_make,
		.counts = cause_counts,
		.same = cause_same,
		.arg = cause,
	};
	struct rfs_harm harm;

	if (!can_be_created(cause))
		return false;
	rfs_harm_test(cause->c, &test, &harm);
	cause->tests++;
	harm.tests = cause->tests;
	harm.p = harm.p * cause->tests < 1 ? harm.p * cause->tests : 1;
	harm.corrected = harm.p;
	if (!rfs_harm_shown(&harm) || harm.failed[0] <= harm.failed[1])
		return false;
	rfs_note("run %s: the order of %s decides whether it fails", cause->finding->first->execution.name,
		 cause->race.pair->label);
	add_failure(cause, &harm);
	return true;
}

/* Whether another thread has accessed the same memory later in the run. */
static bool has_later(const struct cause *cause, size_t at)
{
	for (size_t i = at + 1; i < cause->n_trace; i++)
		if (cause->trace[i].kind == RFS_OP_ACCESS && cause_conflict(&cause->trace[at], &cause->trace[i]))
			return true;
	return false;
}

/* Whether a statement of the pair frees memory, and only a second look at the failure has shown it. */
static bool frees_unseen(const struct rfs_pair *pair)
{
	return pair->in_failure && ((pair->evidence.side[0].access | pair->evidence.side[1].access) & RFS_ACCESS_FREE);
}

/* Tries the race, unless enough were tried. True if no other race is to be tried. */
static bool try_race(struct cause *cause, unsigned *tries)
{
	if (*tries == TRIES || cause->tests == TESTS || rfs_ending_over(cause->c))
		return true;
	++*tries;
	return cause_test_race(cause);
}

/* Tries the races of the failed run, those near the failure first. */
static void try_races(struct cause *cause)
{
	struct rfs_campaign *c = cause->c;
	unsigned tries = 0, looks = 0;

	for (size_t at = cause->n_trace; at-- > 0;)
		for (size_t i = 0; i < c->pairs->n; i++) {
			struct rfs_pair *pair = c->pairs->list[i];

			if (!(pair->confirmed || pair->in_failure) || !statements_of(cause, pair, &cause->trace[at]))
				continue;
			if (looks++ == LOOKS)
				return;
			cause->race = (struct race){
				.pair = pair, .first = at, .second = NONE, .was_freed = frees_unseen(pair)};
			if ((cause->race.was_freed || !has_later(cause, at)) && try_race(cause, &tries))
				return;
			if (cause_find_first(cause, pair, at, &cause->race) && try_race(cause, &tries))
				return;
		}
}

/* ---- one failure ---- */

/* Whether a pair already has this failure, with a test that shows harm. */
static bool is_explained(struct rfs_campaign *c, const struct rfs_finding *finding)
{
	for (size_t i = 0; i < c->pairs->n; i++)
		for (size_t k = 0; k < c->pairs->list[i]->n_failures; k++) {
			const struct rfs_pair_failure *failure = &c->pairs->list[i]->failures[k];

			if (failure->harm.tests && failure->harm.p < RFS_HARM_LIMIT &&
			    rfs_finding_has(c, finding, &failure->first.result))
				return true;
		}
	return false;
}

static void find_cause(struct rfs_campaign *c, const struct rfs_finding *finding)
{
	struct cause cause = {.c = c, .finding = finding};
	char *path = rfs_campaign_record(c, finding->first->execution.name, "trace"), why[512];

	if (rfs_trace_read(path, &cause.trace, &cause.n_trace, why, sizeof(why)) == 0 &&
	    rfs_saved_run_choices(c, finding->first, &cause.execution, &cause.choices))
		try_races(&cause);
	free(path);
	free(cause.trace);
	free(cause.choices.list);
}

void rfs_causes_test(struct rfs_campaign *c)
{
	for (size_t i = 0; i < c->findings->n && i < FINDINGS; i++) {
		struct rfs_finding *finding = &c->findings->list[i];
		const struct rfs_saved_run *kept = finding->first;

		/* a run with recorded input cannot get this input in another order */
		if (finding->borrowed || kept->replayed != RFS_REPLAY_SAME || kept->input ||
		    (kept->execution.spec.plan.pair && !finding->looked_at) || is_explained(c, finding))
			continue;
		if (rfs_ending_over(c))
			c->ending->tests += 2 * RFS_HARM_RUNS;
		else
			find_cause(c, finding);
	}
}
