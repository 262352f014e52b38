/* session.c - takes turns between types, plans batches, and counts. lanes.c or executor.c executes them. */
#include "supervisor/generate/session/session.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/rng.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/error.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/generate/library/library.h"
#include "supervisor/generate/options.h"
#include "supervisor/generate/program/bug.h"
#include "supervisor/generate/search/races.h"
#include "supervisor/generate/session/lanes.h"
#include "supervisor/generate/session/session-priv.h"
#include "supervisor/generate/tests/suite.h"
#include "supervisor/generate/tests/trial.h"

/* How many tests of one type are made before the next type has its turn. */
#define TURN 20
/*
 * After its first tests, a type has batches of tests, which lanes execute at the same time (lanes.h). More tests in a
 * batch would keep more processors busy, but they are chosen without knowing what the others of the batch show.
 */
#define SINGLE_TESTS 4
#define BATCH 16
/* How often a driver that dies is started again, if it makes fewer than TRIALS_MIN trials each time. */
#define RESTARTS 20
#define TRIALS_MIN 10
/* Time between two status lines, in seconds. */
#define STATUS_SECONDS 0.2

void rfs_generated_bug_release(struct rfs_generated_bug *bug)
{
	rfs_sequence_release(&bug->test);
	rfs_wrong_result_release(&bug->results);
	free(bug->source);
	free(bug->command);
	free(bug->record);
	free(bug->page);
	free(bug->story);
	free(bug->why);
	free(bug->involved);
}

static void free_bugs(struct rfs_generated_bug *bug)
{
	while (bug) {
		struct rfs_generated_bug *next = bug->next;

		rfs_generated_bug_release(bug);
		free(bug);
		bug = next;
	}
}

void rfs_session_result_release(struct rfs_session_result *result)
{
	for (size_t i = 0; i < result->n_types; i++)
		free_bugs(result->types[i].bug);
	free(result->types);
	rfs_tried_methods_release(&result->tried);
	*result = (struct rfs_session_result){0};
}

bool rfs_type_is_finding(const struct rfs_session_result *result, const struct rfs_type_result *type)
{
	if (!type->bug || type->type->claim == RFS_CLAIM_UNSAFE)
		return false;
	for (size_t i = 0; i < result->n_types; i++)
		if (result->types[i].type->claim == RFS_CLAIM_SAFE)
			return type->type->claim == RFS_CLAIM_SAFE;
	return true;
}

static bool session_is_wanted(const struct rfs_words *wanted, const struct rfs_library_type *type)
{
	for (size_t i = 0; i < wanted->n; i++)
		if (rfs_library_type_matches(type, wanted->list[i]))
			return true;
	return wanted->n == 0;
}

/* ---- progress ---- */

static void show_status(struct rfs_session *s)
{
	double now = rfs_clock();
	uint64_t n_tests = 0;
	size_t n_begun = 0, n_unsafe = 0, n_pairs = 0;
	char *line;

	if (!s->settings->terminal || now - s->shown < STATUS_SECONDS)
		return;
	s->shown = now;
	for (size_t i = 0; i < s->result->n_types; i++) {
		n_tests += s->result->types[i].n_tests;
		n_begun += s->result->types[i].n_tests > 0;
		n_unsafe += s->result->types[i].verdict == RFS_TYPE_UNSAFE;
		n_pairs += s->states[i].suite ? rfs_suite_pairs(s->states[i].suite) : 0;
	}
	line = xasprintf("%zu of %zu types begun, %" PRIu64 " tests (%.1f/s), %zu pairs of methods, %zu thread-unsafe",
			 n_begun, s->result->n_types, n_tests, (double)n_tests / (now - s->started), n_pairs, n_unsafe);
	rfs_log_status(line);
	free(line);
}

/* ---- the end ---- */

bool rfs_session_is_over(struct rfs_session *s)
{
	if (rfs_interrupted(s->settings->executor.cancel_fd))
		s->result->end = RFS_POOL_INTERRUPTED;
	else if (s->settings->executor.deadline > 0 && rfs_clock() >= s->settings->executor.deadline)
		s->result->end = RFS_POOL_BUDGET;
	return s->result->end != RFS_POOL_DONE;
}

static const char *const judgements[] = {
	[RFS_JUDGED_ENDED] = "ended",
	[RFS_JUDGED_FINE] = "fine",
	[RFS_JUDGED_INDEPENDENT] = "independent",
	[RFS_JUDGED_SEQUENTIAL] = "sequential",
	[RFS_JUDGED_UNDEFINED] = "undefined",
	[RFS_JUDGED_INCONCLUSIVE] = "inconclusive",
	[RFS_JUDGED_BUG] = "bug",
};

/* One type may need thousands of trials before its first test. */
static bool session_is_over(void *arg)
{
	return rfs_session_is_over(arg);
}

/* ---- one type ---- */

static void count_test(struct rfs_session *s, struct rfs_type_state *state, const struct rfs_planned_test *planned)
{
	const enum rfs_judgement judgement = planned->judged.judgement;
	const bool sequential = judgement == RFS_JUDGED_SEQUENTIAL || judgement == RFS_JUDGED_UNDEFINED;
	struct rfs_type_result *result = state->result;

	if (result->n_tests++ == 0)
		result->verdict = RFS_TYPE_NOTHING_FOUND;
	result->n_independent += judgement == RFS_JUDGED_INDEPENDENT;
	result->n_sequential += sequential;
	result->n_inconclusive += judgement == RFS_JUDGED_INCONCLUSIVE;
	rfs_suite_executed(state->suite, &planned->test, judgement != RFS_JUDGED_INDEPENDENT && !sequential);
	if (judgement != RFS_JUDGED_INCONCLUSIVE)
		rfs_suite_ordered(state->suite, &planned->test,
				  judgement == RFS_JUDGED_UNDEFINED ? RFS_SUITE_UNDEFINED
				  : sequential			    ? RFS_SUITE_FAILED
								    : RFS_SUITE_PASSED);
	show_status(s);
}

/* Executes the test, unless a lane has done that, and notes what it shows. False: no execution can be made any more. */
static bool finish_test(struct rfs_session *s, struct rfs_type_state *state, struct rfs_planned_test *planned)
{
	struct rfs_judged *judged = &planned->judged;
	bool may_continue;

	rfs_lanes_take(s, planned);
	if (!planned->is_judged)
		rfs_session_judge(s, planned);
	state->result->n_executions += judged->counts.n_executions;
	may_continue = judged->judgement != RFS_JUDGED_ENDED;
	if (may_continue)
		count_test(s, state, planned);
	if (judged->judgement == RFS_JUDGED_BUG)
		rfs_session_note_bug(s, state, planned);
	rfs_executor_unload(s->executor);
	judged->counts.type = state->result->type->name;
	judged->counts.judgement = judgements[judged->judgement];
	if (s->settings->tested)
		s->settings->tested(&judged->counts);
	return may_continue;
}

/* How many tests are made before the first of them is executed. A bug often shows in the first tests of a type. */
static size_t batch_size(const struct rfs_session *s, const struct rfs_type_state *state, size_t left)
{
	const uint64_t n_tests = state->result->n_tests, most = s->settings->options->tests - n_tests;
	const size_t size = n_tests < SINGLE_TESTS ? 1 : BATCH < left ? BATCH : left;

	return size < most ? size : (size_t)most;
}

/* The tests of a batch. They are the same for each number of lanes, and so is what the tests show. */
struct batch {
	struct rfs_planned_test tests[BATCH];
	size_t n;
};

static enum rfs_suite_next make_batch(struct rfs_session *s, struct rfs_type_state *state, size_t size,
				      struct batch *out)
{
	enum rfs_suite_next next = RFS_SUITE_TEST;

	out->n = 0;
	while (out->n < size && next == RFS_SUITE_TEST && !session_is_over(s)) {
		struct rfs_planned_test *planned = &out->tests[out->n];

		*planned = (struct rfs_planned_test){.number = state->result->n_tests + out->n};
		next = rfs_suite_next(state->suite, &planned->test);
		out->n += next == RFS_SUITE_TEST;
	}
	return next;
}

static void release_planned(struct rfs_planned_test *planned)
{
	rfs_judged_release(&planned->judged);
	rfs_sequence_release(&planned->test.sequence);
	free(planned->answer);
}

static bool uses_lanes(const struct rfs_session *s)
{
	return s->settings->options->jobs > 1 && !s->settings->without.executions && !s->without_lanes;
}

/* A test failed in a lane, but there is no time to make its C program. */
static void dismiss_unfinished(struct rfs_type_state *state)
{
	rfs_note("%s: a test failed, but the session ended before its C program was made", state->result->type->name);
	state->result->n_dismissed++;
}

/* False: the session is over. */
static bool execute_batch(struct rfs_session *s, struct rfs_type_state *state, struct batch *batch)
{
	bool may_continue = true;

	/* what a trial has written must not be there in executions */
	if (!s->settings->without.executions && !rfs_driver_rest(&s->driver))
		state->generator.broken = true;
	for (size_t i = 0; i < batch->n; i++) {
		if (may_continue && !state->finished) {
			if (uses_lanes(s) && !batch->tests[i].answer && batch->n - i > 1)
				rfs_lanes_execute(s, &batch->tests[i], batch->n - i);
			may_continue = finish_test(s, state, &batch->tests[i]);
		}
		if (!may_continue && rfs_lanes_found_bug(&batch->tests[i]))
			dismiss_unfinished(state);
		release_planned(&batch->tests[i]);
	}
	rfs_races_end_batch(s->races);
	rfs_executor_end_batch(s->executor);
	return may_continue;
}

/* A driver that does not answer is started again: its library may use a function that is defined nowhere. */
static int start_driver(struct rfs_session *s, char *why, size_t n)
{
	const struct rfs_executor_settings *settings = &s->settings->executor;
	struct rfs_driver_settings tests = settings->tests;
	char *private = rfs_executor_private(settings->folder, 0);
	int error;

	tests.binds = !s->lazy;
	error = rfs_driver_start(settings->driver, settings->guard, settings->shim, private, &tests, &s->driver, why,
				 n);
	free(private);
	if (!error && tests.binds && !rfs_driver_rest(&s->driver)) {
		rfs_driver_stop(&s->driver);
		s->lazy = true;
		return start_driver(s, why, n);
	}
	s->driver.tried = &s->result->tried;
	return error;
}

static bool restart_driver(struct rfs_session *s)
{
	const struct rfs_trial_counts counts = s->driver.counts;
	struct rfs_session_result *result = s->result;

	rfs_driver_stop(&s->driver);
	if (session_is_over(s))
		return false;
	if (counts.n - s->n_trials >= TRIALS_MIN)
		s->restarts = 0;
	s->n_trials = counts.n;
	if (++s->restarts > RESTARTS) {
		result->end = RFS_POOL_FAILED;
		snprintf(result->why, sizeof(result->why), "the process that tries calls died %u times in a row",
			 s->restarts);
		return false;
	}
	if (start_driver(s, result->why, sizeof(result->why))) {
		result->end = RFS_POOL_FAILED;
		return false;
	}
	s->driver.counts = counts;
	for (size_t i = 0; i < result->n_types; i++)
		s->states[i].generator.broken = false;
	return true;
}

static void session_finish(struct rfs_type_state *state, enum rfs_type_verdict verdict)
{
	if (state->result->n_tests == 0)
		state->result->verdict = verdict;
	state->finished = state->result->complete = true;
}

/* A few tests of the type. False: the session is over. */
static bool session_take_turn(struct rfs_session *s, struct rfs_type_state *state)
{
	size_t left = TURN;

	while (left && !state->finished) {
		struct batch batch;
		enum rfs_suite_next next = make_batch(s, state, batch_size(s, state, left), &batch);

		left -= batch.n ? batch.n : 1;
		if (batch.n && !execute_batch(s, state, &batch))
			return false;
		if (state->result->n_tests >= s->settings->options->tests)
			session_finish(state, RFS_TYPE_NOTHING_FOUND);
		else if (next == RFS_SUITE_NO_OBJECT)
			session_finish(state, RFS_TYPE_NOT_MADE);
		else if (next == RFS_SUITE_NO_CALL)
			session_finish(state, RFS_TYPE_NOT_USED);
		/* a test may still be ready */
		if (state->generator.broken && !restart_driver(s))
			return false;
		if (session_is_over(s))
			return false;
	}
	return true;
}

/* ---- all types ---- */

static void prepare_types(struct rfs_session *s)
{
	const struct rfs_library *library = s->settings->library;
	struct rfs_session_result *result = s->result;

	result->types = xcalloc(library->n_types, sizeof(*result->types));
	s->states = xcalloc(library->n_types, sizeof(*s->states));
	for (size_t i = 0; i < library->n_types; i++) {
		struct rfs_type_state *state = &s->states[result->n_types];

		if (!session_is_wanted(&s->settings->options->types, &library->types[i]))
			continue;
		state->result = &result->types[result->n_types++];
		*state->result = (struct rfs_type_result){.type = &library->types[i], .verdict = RFS_TYPE_NOT_BEGUN};
		if (library->types[i].claim == RFS_CLAIM_UNSAFE && !s->settings->options->types.n) {
			session_finish(state, RFS_TYPE_SAID_UNSAFE);
			continue;
		}
		if (!rfs_library_type_is_made(library, &library->types[i])) {
			session_finish(state, RFS_TYPE_NOT_MADE);
			continue;
		}
		state->generator = (struct rfs_generator){.library = library,
							  .driver = &s->driver,
							  .names = s->settings->names,
							  .states = s->settings->executor.results,
							  .unweighted = s->settings->without.weights,
							  .is_over = session_is_over,
							  .arg = s};
		rfs_rng_init_stream(&state->generator.rng, s->settings->options->seed, i + 1);
		state->suite = rfs_suite_new(&state->generator, &library->types[i]);
	}
}

static void run_types(struct rfs_session *s)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < s->result->n_types; i++) {
			if (s->states[i].finished)
				continue;
			if (!session_take_turn(s, &s->states[i]))
				return;
			more |= !s->states[i].finished;
		}
	}
}

void rfs_session_count(struct rfs_session *s)
{
	struct rfs_session_result *result = s->result;

	for (size_t i = 0; i < result->n_types; i++)
		if (s->states[i].suite)
			result->types[i].n_pairs = rfs_suite_pairs(s->states[i].suite);
	result->n_executions = rfs_executor_count(s->executor);
	result->n_served = rfs_executor_served(s->executor);
	rfs_races_counts(s->races, &result->n_predicted, &result->n_created);
	result->trials = s->driver.counts;
}

static void session_note_end(struct rfs_session *s)
{
	struct rfs_session_result *result = s->result;
	const char *why;

	if (result->end == RFS_POOL_DONE) {
		result->end = rfs_executor_end(s->executor, &why);
		snprintf(result->why, sizeof(result->why), "%s", why);
	}
	result->continues = false;
	rfs_session_count(s);
}

int rfs_session_run(const struct rfs_session_settings *settings, struct rfs_session_result *out, char *why, size_t n)
{
	struct rfs_session s = {
		.settings = settings, .result = out, .started = rfs_clock(), .first_core = sched_getcpu()};
	int error;

	*out = (struct rfs_session_result){.continues = true};
	out->private_network = settings->executor.tests.private_network;
	rfs_tried_methods_init(settings->library, &out->tried);
	/* this first: if the library hangs when it is loaded, the run is ended, and the driver is never started */
	error = rfs_executor_new(&settings->executor, &s.executor, why, n);
	if (error)
		return error;
	s.races = rfs_races_new();
	error = start_driver(&s, why, n);
	if (!error) {
		prepare_types(&s);
		run_types(&s);
		rfs_session_try_again(&s);
		session_note_end(&s);
		for (size_t i = 0; i < out->n_types; i++)
			if (s.states[i].suite)
				rfs_suite_free(s.states[i].suite);
		free(s.states);
	}
	rfs_executor_free(s.executor);
	rfs_races_free(s.races);
	rfs_driver_stop(&s.driver);
	if (settings->terminal)
		rfs_log_status(NULL);
	return error;
}
