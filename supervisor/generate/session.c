#include "supervisor/generate/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/rng.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/error.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/generate/bug.h"
#include "supervisor/generate/library.h"
#include "supervisor/generate/options.h"
#include "supervisor/generate/oracle.h"
#include "supervisor/generate/races.h"
#include "supervisor/generate/session-priv.h"
#include "supervisor/generate/suite.h"
#include "supervisor/generate/trial.h"

/* How many tests of one type are made before the next type has its turn. */
#define TURN 20
/* Most bugs show in a few schedules. So three of four tests are executed under a quarter of the schedules. */
#define QUICK 4
/* A test that stops more often than this is executed under fewer schedules, but at least under SCHEDULES_MIN. */
#define STOPS 1000
#define SCHEDULES_MIN 10
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
	rfs_tried_release(&result->tried);
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

static bool is_wanted(const struct rfs_words *wanted, const struct rfs_library_type *type)
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

/* One type may need thousands of trials before its first test. */
static bool is_over(void *arg)
{
	return rfs_session_is_over(arg);
}

/* ---- one test ---- */

enum judgement { JUDGED_ENDED, JUDGED_FINE, JUDGED_INDEPENDENT, JUDGED_SEQUENTIAL, JUDGED_INCONCLUSIVE, JUDGED_BUG };

static const char *const judgements[] = {
	[JUDGED_ENDED] = "ended",
	[JUDGED_FINE] = "fine",
	[JUDGED_INDEPENDENT] = "independent",
	[JUDGED_SEQUENTIAL] = "sequential",
	[JUDGED_INCONCLUSIVE] = "inconclusive",
	[JUDGED_BUG] = "bug",
};

static enum judgement judge_turns(const struct rfs_turns_result *turns)
{
	if (turns->ending == RFS_ENDING_FINE)
		return JUDGED_FINE;
	return turns->ending == RFS_ENDING_UNKNOWN ? JUDGED_INCONCLUSIVE : JUDGED_SEQUENTIAL;
}

/* How many schedules the test gets. number: how many tests of its type were executed before. */
static uint64_t schedules(const struct rfs_session *s, uint64_t number, const struct rfs_turns_result *turns)
{
	const bool all = s->settings->without.quick || number % QUICK == QUICK - 1;
	uint64_t runs = s->settings->options->runs, fewer = all ? runs : runs / QUICK;

	if (turns->n_stops > STOPS)
		fewer = fewer * STOPS / turns->n_stops;
	return fewer > SCHEDULES_MIN ? fewer : runs < SCHEDULES_MIN ? runs : SCHEDULES_MIN;
}

/* One sequential order. Adds its outcome to outcomes, if that is not NULL. */
static enum judgement judge_order(struct rfs_session *s, const char *order, struct rfs_test_outcomes *outcomes)
{
	struct rfs_turns_result result;
	enum judgement judgement;

	if (!rfs_executor_turns(s->executor, order, &result))
		return JUDGED_ENDED;
	judgement = judge_turns(&result);
	if (outcomes && judgement == JUDGED_FINE)
		rfs_test_outcomes_add(outcomes, &result.outcome);
	rfs_test_outcome_release(&result.outcome);
	return judgement;
}

/* All orders between the first one and the last one. */
static enum judgement judge_orders(struct rfs_session *s, char (*orders)[RFS_ORDER_MAX + 1], size_t n_orders,
				   struct rfs_test_outcomes *outcomes)
{
	enum judgement judgement = JUDGED_FINE;

	for (size_t i = 1; i + 1 < n_orders && judgement == JUDGED_FINE; i++)
		judgement = judge_order(s, orders[i], outcomes);
	return judgement;
}

/* Finds the results that do not only depend on the order of the calls, but also on addresses or time. */
static enum judgement mark_unstable(struct rfs_session *s, const char *order, struct rfs_test_outcomes *outcomes)
{
	struct rfs_turns_result result;
	bool executed;

	rfs_executor_shift(s->executor, true);
	executed = rfs_executor_turns(s->executor, order, &result);
	rfs_executor_shift(s->executor, false);
	if (!executed)
		return JUDGED_ENDED;
	rfs_test_outcomes_mark(outcomes, &result.outcome);
	rfs_test_outcome_release(&result.outcome);
	return judge_turns(&result);
}

/*
 * Executes the test: first the two orders in which one suffix comes after the other. If both are the same partial
 * order, no call of one suffix depends on a call of the other, so the test is independent. Otherwise executes it
 * concurrently, and after a failure in all other orders. is_new: it has a pair of methods that no other test had. Then
 * its predicted races are created too.
 *
 * With --results, all orders come first, and an outcome that none of them has is a failure. If the library has started
 * threads, the order of the calls alone does not decide the outcome, so outcomes are not compared.
 */
static enum judgement judge(struct rfs_session *s, uint64_t number, bool is_new, const struct rfs_sequence *test,
			    char (*orders)[RFS_ORDER_MAX + 1], size_t n_orders, struct rfs_test_outcomes *outcomes,
			    struct rfs_search_result *search, int *race)
{
	struct rfs_turns_result first = {0}, last = {0};
	enum judgement judgement;
	bool executed = rfs_executor_load(s->executor, s->settings->library, test) &&
			rfs_executor_turns(s->executor, orders[0], &first) &&
			rfs_executor_turns(s->executor, orders[n_orders - 1], &last),
	     compared = executed && s->settings->options->results && first.n_threads <= RFS_TEST_THREADS &&
			last.n_threads <= RFS_TEST_THREADS;

	s->test.n_steps = first.n_steps;
	if (compared) {
		rfs_test_outcomes_add(outcomes, &first.outcome);
		rfs_test_outcomes_add(outcomes, &last.outcome);
	}
	rfs_test_outcome_release(&first.outcome);
	rfs_test_outcome_release(&last.outcome);
	if (!executed)
		return JUDGED_ENDED;
	judgement = judge_turns(&first);
	if (judgement == JUDGED_FINE)
		judgement = judge_turns(&last);
	if (judgement == JUDGED_FINE && !s->settings->without.filter &&
	    memcmp(first.order, last.order, sizeof(first.order)) == 0)
		judgement = JUDGED_INDEPENDENT;
	if (judgement == JUDGED_FINE && compared)
		judgement = judge_orders(s, orders, n_orders, outcomes);
	if (judgement == JUDGED_FINE && compared)
		judgement = mark_unstable(s, orders[0], outcomes);
	if (judgement != JUDGED_FINE)
		return judgement;
	if (!rfs_executor_search(s->executor, schedules(s, number, &first), compared ? outcomes : NULL, search))
		return JUDGED_ENDED;
	s->test.n_schedules = search->n;
	if (search->ending == RFS_ENDING_FINE && is_new && !s->settings->without.racefuzzer &&
	    !rfs_races_create(s->races, s->executor, RFS_RACES_NEW, search, race))
		return JUDGED_ENDED;
	if (search->ending == RFS_ENDING_FINE)
		return JUDGED_FINE;
	judgement = compared ? JUDGED_FINE : judge_orders(s, orders, n_orders, NULL);
	return judgement == JUDGED_FINE ? JUDGED_BUG : judgement;
}

/* ---- one type ---- */

static void count_test(struct rfs_session *s, struct rfs_type_state *state, const struct rfs_sequence *test,
		       enum judgement judgement)
{
	struct rfs_type_result *result = state->result;

	if (result->n_tests++ == 0)
		result->verdict = RFS_TYPE_NOTHING_FOUND;
	result->n_independent += judgement == JUDGED_INDEPENDENT;
	result->n_sequential += judgement == JUDGED_SEQUENTIAL;
	result->n_inconclusive += judgement == JUDGED_INCONCLUSIVE;
	rfs_suite_executed(state->suite, test, judgement != JUDGED_INDEPENDENT && judgement != JUDGED_SEQUENTIAL);
	show_status(s);
}

/* False: no execution can be made any more. */
static bool execute_test(struct rfs_session *s, struct rfs_type_state *state, const struct rfs_sequence *test)
{
	struct rfs_type_result *result = state->result;
	const uint64_t before = rfs_executor_count(s->executor);
	struct rfs_search_result search = {0};
	struct rfs_test_outcomes outcomes = {0};
	int race = -1;
	char(*orders)[RFS_ORDER_MAX + 1];
	size_t n_orders = rfs_linearisations(test, &orders);
	enum judgement judgement;

	/* what a trial has written must not be there in executions */
	if (!s->settings->without.executions && !rfs_driver_rest(&s->driver))
		state->generator.broken = true;
	s->test = (struct rfs_session_test){.type = result->type->name};
	judgement = !n_orders			      ? JUDGED_INCONCLUSIVE
		    : s->settings->without.executions ? JUDGED_FINE
						      : judge(s, result->n_tests, rfs_suite_is_new(state->suite, test),
							      test, orders, n_orders, &outcomes, &search, &race);

	free(orders);
	s->test.n_executions = rfs_executor_count(s->executor) - before;
	result->n_executions += s->test.n_executions;
	if (judgement != JUDGED_ENDED)
		count_test(s, state, test, judgement);
	if (judgement == JUDGED_BUG)
		rfs_session_note_bug(s, state, &(struct rfs_failed_test){test, &search, race, &outcomes, n_orders});
	rfs_executor_unload(s->executor);
	s->test.judgement = judgements[judgement];
	if (s->settings->tested)
		s->settings->tested(&s->test);
	rfs_waiters_release(&search.deadlock);
	rfs_test_outcomes_release(&outcomes);
	rfs_test_outcome_release(&search.outcome);
	return judgement != JUDGED_ENDED;
}

/* A driver that does not answer is started again: its library may use a function that is defined nowhere. */
static int start_driver(struct rfs_session *s, char *why, size_t n)
{
	const struct rfs_executor_settings *settings = &s->settings->executor;
	struct rfs_driver_settings tests = settings->tests;
	int error;

	tests.binds = !s->lazy;
	error = rfs_driver_start(settings->driver, settings->guard, settings->shim, settings->private, &tests,
				 &s->driver, why, n);
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
	if (is_over(s))
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

static void finish(struct rfs_type_state *state, enum rfs_type_verdict verdict)
{
	if (state->result->n_tests == 0)
		state->result->verdict = verdict;
	state->finished = state->result->complete = true;
}

/* A few tests of the type. False: the session is over. */
static bool take_turn(struct rfs_session *s, struct rfs_type_state *state)
{
	for (int i = 0; i < TURN && !state->finished; i++) {
		struct rfs_sequence test;
		bool may_continue;

		switch (rfs_suite_next(state->suite, &test)) {
		case RFS_SUITE_TEST:
			may_continue = execute_test(s, state, &test);
			rfs_sequence_release(&test);
			if (!may_continue)
				return false;
			if (state->result->n_tests >= s->settings->options->tests)
				finish(state, RFS_TYPE_NOTHING_FOUND);
			break;
		case RFS_SUITE_NO_OBJECT:
			finish(state, RFS_TYPE_NOT_MADE);
			break;
		case RFS_SUITE_NO_CALL:
			finish(state, RFS_TYPE_NOT_USED);
			break;
		case RFS_SUITE_BROKEN:
			break;
		}
		/* a test may still be ready */
		if (state->generator.broken && !restart_driver(s))
			return false;
		if (is_over(s))
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

		if (!is_wanted(&s->settings->options->types, &library->types[i]))
			continue;
		state->result = &result->types[result->n_types++];
		*state->result = (struct rfs_type_result){.type = &library->types[i], .verdict = RFS_TYPE_NOT_BEGUN};
		if (library->types[i].claim == RFS_CLAIM_UNSAFE && !s->settings->options->types.n) {
			finish(state, RFS_TYPE_SAID_UNSAFE);
			continue;
		}
		if (!rfs_library_type_is_made(library, &library->types[i])) {
			finish(state, RFS_TYPE_NOT_MADE);
			continue;
		}
		state->generator = (struct rfs_generator){.library = library,
							  .driver = &s->driver,
							  .names = s->settings->names,
							  .states = s->settings->options->results,
							  .unweighted = s->settings->without.weights,
							  .is_over = is_over,
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
			if (!take_turn(s, &s->states[i]))
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

static void note_end(struct rfs_session *s)
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
	struct rfs_session s = {.settings = settings, .result = out, .started = rfs_clock()};
	int error;

	*out = (struct rfs_session_result){.continues = true};
	out->private_network = settings->executor.tests.private_network;
	rfs_tried_init(settings->library, &out->tried);
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
		note_end(&s);
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
