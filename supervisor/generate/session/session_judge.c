/* session_judge.c - one test: its sequential orders, its concurrent executions, its races. */
#include <stdlib.h>
#include <string.h>

#include "supervisor/generate/options.h"
#include "supervisor/generate/search/races.h"
#include "supervisor/generate/session/session-priv.h"
#include "supervisor/generate/tests/observation.h"
#include "supervisor/generate/tests/oracle.h"

/* Most bugs show in a few schedules. So three of four tests are executed under a quarter of the schedules. */
#define QUICK 4
/* A test that stops more often than this is executed under fewer schedules, but at least under SCHEDULES_MIN. */
#define STOPS 1000
#define SCHEDULES_MIN 10

static enum rfs_judgement judge_turns(const struct rfs_turns_result *turns)
{
	if (turns->ending == RFS_ENDING_FINE)
		return turns->is_undefined ? RFS_JUDGED_UNDEFINED : RFS_JUDGED_FINE;
	return turns->ending == RFS_ENDING_UNKNOWN ? RFS_JUDGED_INCONCLUSIVE : RFS_JUDGED_SEQUENTIAL;
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
static enum rfs_judgement judge_order(struct rfs_session *s, const char *order, struct rfs_test_outcomes *outcomes)
{
	struct rfs_turns_result result;
	enum rfs_judgement judgement;

	if (!rfs_executor_turns(s->executor, order, &result))
		return RFS_JUDGED_ENDED;
	judgement = judge_turns(&result);
	if (outcomes && judgement == RFS_JUDGED_FINE)
		rfs_test_outcomes_add(outcomes, &result.outcome);
	rfs_test_outcome_release(&result.outcome);
	return judgement;
}

/* All orders between the first one and the last one. */
static enum rfs_judgement judge_orders(struct rfs_session *s, char (*orders)[RFS_ORDER_MAX + 1], size_t n_orders,
				       struct rfs_test_outcomes *outcomes)
{
	enum rfs_judgement judgement = RFS_JUDGED_FINE;

	for (size_t i = 1; i + 1 < n_orders && judgement == RFS_JUDGED_FINE; i++)
		judgement = judge_order(s, orders[i], outcomes);
	return judgement;
}

/* Finds the results that do not only depend on the order of the calls, but also on addresses or time. */
static enum rfs_judgement mark_unstable(struct rfs_session *s, const char *order, struct rfs_test_outcomes *outcomes)
{
	struct rfs_turns_result result;
	bool executed;

	rfs_executor_shift(s->executor, true);
	executed = rfs_executor_turns(s->executor, order, &result);
	rfs_executor_shift(s->executor, false);
	if (!executed)
		return RFS_JUDGED_ENDED;
	rfs_test_outcomes_mark(outcomes, &result.outcome);
	rfs_test_outcome_release(&result.outcome);
	return judge_turns(&result);
}

/*
 * By default, only the state of the object after both threads is compared. A call may see the middle of another one
 * although the type is safe: nobody promises that a sum and a count, which two calls read, belong together. What is
 * left when both threads have ended is another matter.
 */
static bool can_be_compared(const struct rfs_session *s, const struct rfs_sequence *test)
{
	return s->settings->executor.results && !rfs_observation_tries(test, s->settings->library) &&
	       (s->settings->options->results == RFS_RESULTS_ASKED || test->n[RFS_STATE]);
}

/*
 * Executes the test: first the two orders in which one suffix comes after the other. If both are the same partial
 * order, no call of one suffix depends on a call of the other, so the test is independent. Otherwise executes it
 * concurrently, and after a failure in all other orders. If it has a pair of methods that no other test had, its
 * predicted races are created too.
 *
 * If results are compared, all orders come first, and an outcome that none of them has is a failure. If the library has
 * started threads, the order of the calls alone does not decide the outcome, so outcomes are not compared. Nor are they
 * if a call only tries: it may fail because the other thread is inside of a call.
 */
static enum rfs_judgement judge_planned_test(struct rfs_session *s, const struct rfs_planned_test *planned,
					     char (*orders)[RFS_ORDER_MAX + 1], struct rfs_judged *out)
{
	const size_t n_orders = out->n_orders;
	struct rfs_turns_result first = {0}, last = {0};
	enum rfs_judgement judgement;
	bool executed = rfs_executor_load(s->executor, s->settings->library, &planned->test.sequence) &&
			rfs_executor_turns(s->executor, orders[0], &first) &&
			rfs_executor_turns(s->executor, orders[n_orders - 1], &last),
	     compared = executed && can_be_compared(s, &planned->test.sequence) &&
			first.n_threads <= RFS_TEST_THREADS && last.n_threads <= RFS_TEST_THREADS;

	out->counts.n_steps = first.n_steps;
	if (compared) {
		rfs_test_outcomes_add(&out->outcomes, &first.outcome);
		if (s->settings->options->results != RFS_RESULTS_ASKED)
			rfs_test_outcomes_ignore(&out->outcomes, rfs_observations_before_state(&planned->test.sequence,
											       s->settings->library));
		rfs_test_outcomes_add(&out->outcomes, &last.outcome);
	}
	rfs_test_outcome_release(&first.outcome);
	rfs_test_outcome_release(&last.outcome);
	if (!executed)
		return RFS_JUDGED_ENDED;
	judgement = judge_turns(&first);
	if (judgement == RFS_JUDGED_FINE)
		judgement = judge_turns(&last);
	if (judgement == RFS_JUDGED_FINE && !s->settings->without.filter &&
	    memcmp(first.order, last.order, sizeof(first.order)) == 0)
		judgement = RFS_JUDGED_INDEPENDENT;
	if (judgement == RFS_JUDGED_FINE && compared)
		judgement = judge_orders(s, orders, n_orders, &out->outcomes);
	if (judgement == RFS_JUDGED_FINE && compared)
		judgement = mark_unstable(s, orders[0], &out->outcomes);
	if (judgement != RFS_JUDGED_FINE)
		return judgement;
	if (!rfs_executor_search(s->executor, schedules(s, planned->number, &first), compared ? &out->outcomes : NULL,
				 &out->search))
		return RFS_JUDGED_ENDED;
	out->counts.n_schedules = out->search.n;
	if (out->search.ending == RFS_ENDING_FINE && planned->test.is_new && !s->settings->without.racefuzzer &&
	    !rfs_races_create(s->races, s->executor, RFS_RACES_NEW, &out->search, &out->race))
		return RFS_JUDGED_ENDED;
	if (out->search.ending == RFS_ENDING_FINE)
		return RFS_JUDGED_FINE;
	judgement = compared ? RFS_JUDGED_FINE : judge_orders(s, orders, n_orders, NULL);
	return judgement == RFS_JUDGED_FINE ? RFS_JUDGED_BUG : judgement;
}

void rfs_session_judge(struct rfs_session *s, struct rfs_planned_test *planned)
{
	struct rfs_judged *out = &planned->judged;
	const uint64_t before = rfs_executor_count(s->executor);
	char(*orders)[RFS_ORDER_MAX + 1];

	*out = (struct rfs_judged){.race = -1};
	out->n_orders = rfs_linearisations(&planned->test.sequence, &orders);
	out->judgement = !out->n_orders			   ? RFS_JUDGED_INCONCLUSIVE
			 : s->settings->without.executions ? RFS_JUDGED_FINE
							   : judge_planned_test(s, planned, orders, out);
	free(orders);
	out->counts.n_executions = rfs_executor_count(s->executor) - before;
	planned->is_judged = true;
}

void rfs_judged_release(struct rfs_judged *judged)
{
	rfs_waiters_release(&judged->search.deadlock);
	rfs_test_outcomes_release(&judged->outcomes);
	rfs_test_outcome_release(&judged->search.outcome);
}
