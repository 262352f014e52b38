/*
 * prove_test.c - --prove and --policy dpor: all schedules of small programs. They find the bug of a target, and prove
 * that its twin has none. The counts do not depend on --jobs.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(prove, .timeout = 900);

/* first, those of the short check: a race, locks, a lost signal */
static const char *const targets[] = {"lost_update",	"deadlock_condition", "lost_wakeup",   "figure1",	 "abba",
				      "check_then_act", "order_violation",    "rapos_figure1", "atomicity_split"};

static const json_t *proof_of(const struct e2e *e2e)
{
	return json_object_get(e2e->report, "proof");
}

static long long number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static void expect_proved(struct e2e *e2e, bool proved)
{
	e2e_expect(e2e, json_is_true(json_object_get(proof_of(e2e), "all")) == proved, "%s",
		   proved ? "not all schedules were executed" : "all schedules were executed");
	e2e_expect(e2e, number(proof_of(e2e), "strayed") == 0, "an execution has not followed its plan");
}

static const json_t *first_finding(const struct e2e *e2e)
{
	return e2e_count(e2e, "deadlocks") ? e2e_item(e2e, "deadlocks", 0) : e2e_item(e2e, "failures", 0);
}

Test(prove, the_bug_of_a_target_is_found_and_its_twin_proved)
{
	for (size_t i = 0; i < e2e_rows(3, sizeof(targets) / sizeof(*targets)); i++) {
		char twin_name[64], *program, *twin, *record;
		struct e2e e2e;

		e2e_begin(&e2e);
		snprintf(twin_name, sizeof(twin_name), "%s_fixed", targets[i]);
		program = e2e_target("O2g", targets[i]);
		twin = e2e_target("O2g", twin_name);
		e2e_run(&e2e, WORDS("--policy=dpor", program));
		e2e_expect_status(&e2e, 1);
		expect_proved(&e2e, true);
		record = e2e_record(&e2e, first_finding(&e2e));
		e2e_expect(&e2e, record != NULL, "%s: the failure has no record", targets[i]);
		if (record)
			e2e_expect_same_replay(&e2e, record);
		free(record);
		e2e_run(&e2e, WORDS("--policy=dpor", twin));
		e2e_expect_silent(&e2e);
		expect_proved(&e2e, true);
		free(program);
		free(twin);
		e2e_end(&e2e);
	}
}

Test(prove, the_number_of_jobs_changes_nothing)
{
	char *program = e2e_target("O2g", "bounded_buffer_fixed");
	json_t *alone;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--policy=dpor", program));
	e2e_expect_silent(&e2e);
	alone = json_deep_copy(proof_of(&e2e));
	e2e_run(&e2e, WORDS("--policy=dpor", "-j3", program));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, json_equal(alone, proof_of(&e2e)), "the proofs differ");
	e2e_run(&e2e, WORDS("--policy=dpor", "--no-fork-server", program));
	e2e_expect(&e2e, json_equal(alone, proof_of(&e2e)), "the proofs differ without a fork server");
	json_decref(alone);
	free(program);
	e2e_end(&e2e);
}

Test(prove, a_campaign_is_followed_by_a_proof)
{
	char *program = e2e_target("O2g", "lost_update_fixed");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--prove", "--explore=5", program));
	e2e_expect_silent(&e2e);
	expect_proved(&e2e, true);
	e2e_run(&e2e, WORDS("--prove", "--points=sync", "--explore=0", program));
	e2e_expect_silent(&e2e);
	expect_proved(&e2e, true);
	e2e_expect(&e2e, strcmp(json_string_value(json_object_get(proof_of(&e2e), "points")), "sync") == 0,
		   "the points are not said");
	free(program);
	e2e_end(&e2e);
}

/* What the budget left out is said, and the status is 4. */
Test(prove, a_budget_that_ends_proves_less)
{
	char *program = e2e_target("O2g", "lost_updates_fixed");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--policy=dpor", e2e_full() ? "--budget=4" : "--budget=1", program));
	e2e_expect_status(&e2e, 4);
	expect_proved(&e2e, false);
	free(program);
	e2e_end(&e2e);
}

/* Some of its schedules let the others spin for long. That is no hang, because the worker is never stopped for good. */
Test(prove, a_schedule_that_spins_is_no_finding)
{
	char *program = e2e_target("O2g", "spin_held_fixed");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--policy=dpor", e2e_full() ? "--budget=15" : "--budget=1", program));
	e2e_expect_status(&e2e, 4);
	e2e_expect(&e2e, e2e_count(&e2e, "failures") == 0, "a finding");
	expect_proved(&e2e, false);
	free(program);
	e2e_end(&e2e);
}

Test(prove, until_failure_ends_the_rounds)
{
	char *program = e2e_target("O2g", "lost_update");
	struct e2e e2e;
	double all;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--policy=dpor", program));
	all = e2e_stat(&e2e, "runs");
	e2e_run(&e2e, WORDS("--policy=dpor", "--until-failure", program));
	e2e_expect_status(&e2e, 1);
	expect_proved(&e2e, false);
	e2e_expect(&e2e, e2e_stat(&e2e, "runs") < all, "%.0f of %.0f executions", e2e_stat(&e2e, "runs"), all);
	free(program);
	e2e_end(&e2e);
}

/* The runs of a policy in phase explore. */
static const json_t *explored(const struct e2e *e2e, const char *policy)
{
	for (size_t i = 0; i < e2e_count(e2e, "explore"); i++)
		if (strcmp(json_string_value(json_object_get(e2e_item(e2e, "explore", i), "policy")), policy) == 0)
			return e2e_item(e2e, "explore", i);
	return NULL;
}

/* In a campaign, the other policies have the runs that dpor does not need. */
Test(prove, a_campaign_explores_each_schedule_once)
{
	char *program = e2e_target("O2g", "lost_update_fixed");
	const json_t *rounds, *last;
	long long all;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--policy=dpor", "--points=races", program));
	rounds = json_object_get(proof_of(&e2e), "rounds");
	last = json_array_get(rounds, json_array_size(rounds) - 1);
	all = number(last, "executions") + number(last, "redundant");
	e2e_run(&e2e, WORDS("--explore-with=random,dpor", "--explore=100", program));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, number(explored(&e2e, "dpor"), "runs") == all, "not %lld schedules", all);
	e2e_expect(&e2e, number(explored(&e2e, "random"), "runs") == 100 - all, "not %lld random runs", 100 - all);
	free(program);
	e2e_end(&e2e);
}

/* A schedule that random runs do not find. The tree has more schedules than there are runs. */
Test(prove, a_campaign_finds_what_few_schedules_show)
{
	static const char *const jobs[] = {"-j1", "-j3"};
	char *program = e2e_target("O2g", "version_wraps"), *twin = e2e_target("O2g", "version_wraps_fixed"), *record;
	struct e2e e2e;

	e2e_begin(&e2e);
	for (size_t i = e2e_full() ? 0 : 1; i < sizeof(jobs) / sizeof(*jobs); i++) {
		e2e_run(&e2e, WORDS("--explore-with=dpor", "--explore=60", jobs[i], program));
		e2e_expect_status(&e2e, 1);
		e2e_expect(&e2e, number(explored(&e2e, "dpor"), "runs") == 60, "not 60 runs");
		e2e_expect(&e2e, number(explored(&e2e, "dpor"), "failures") == 8, "not 8 failures");
		record = e2e_record(&e2e, first_finding(&e2e));
		e2e_expect(&e2e, record != NULL, "the failure has no record");
		if (record)
			e2e_expect_same_replay(&e2e, record);
		free(record);
	}
	e2e_run(&e2e, WORDS("--explore-with=dpor", "--explore=60", twin));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, number(explored(&e2e, "dpor"), "runs") == 60, "not 60 runs");
	free(program);
	free(twin);
	e2e_end(&e2e);
}

/* Each round of the spinning thread would be a branch. */
Test(prove, a_campaign_gives_up_a_tree_of_long_runs)
{
	char *program = e2e_target("O2g", "spin_held_fixed");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--timeout=600", "--explore-with=dpor,random", "--explore=40", program));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, number(explored(&e2e, "dpor"), "runs") < 10, "the tree goes on");
	e2e_expect(&e2e, number(explored(&e2e, "random"), "runs") > 30, "its runs are lost");
	free(program);
	e2e_end(&e2e);
}

/* Whether the report has a line that begins with "proved". */
static bool says_proved(const struct e2e *e2e)
{
	return strstr(e2e->said.out, "\nproved ") != NULL;
}

/* input: the name of a file with the program's input, or NULL. */
static void prove_kind(const char *source, const char *kind, const char *input, bool proved)
{
	const char *args[6] = {"--policy=dpor"};
	struct e2e e2e;
	char *program, stdin_option[4096];
	size_t n = 1;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, source, "-g -O1 -pthread -D_GNU_SOURCE");
	if (input) {
		snprintf(stdin_option, sizeof(stdin_option), "--stdin=%s/%s", e2e.folder, input);
		spawn_file(e2e.folder, input, "1\n2\n3\n4\n", 8, 0666);
		args[n++] = stdin_option;
	}
	args[n++] = program;
	args[n] = kind;
	e2e_run(&e2e, args);
	e2e_expect(&e2e, says_proved(&e2e) == proved, "%s: %s", kind, e2e.said.out);
	if (proved)
		e2e_expect_silent(&e2e);
	else
		e2e_expect(&e2e, e2e.said.status == 1 || e2e.said.status == 4, "%s: status %d", kind, e2e.said.status);
	free(program);
	e2e_end(&e2e);
}

Test(prove, calls_whose_order_is_not_explored_are_no_proof)
{
	static const char *const kinds[] = {"unmap",  "unmap_directly", "protect", "advise", "map_again", "move",
					    "random", "environment",	"token",   "time",   "card",	  "stream",
					    "append", "signal",		"mask",	   "folder", "limit",	  "timer",
					    "sent",   "threads",	"date"};

	for (size_t i = 0; i < e2e_rows(18, sizeof(kinds) / sizeof(*kinds)); i++)
		prove_kind("shares_calls.c", kinds[i], NULL, false);
}

Test(prove, calls_that_do_not_meet_are_no_reason)
{
	static const char *const kinds[] = {"own_file", "section", "block", "section_put", "print", "send"};

	for (size_t i = 0; i < e2e_rows(5, sizeof(kinds) / sizeof(*kinds)); i++)
		prove_kind("shares_calls.c", kinds[i], NULL, true);
}

Test(prove, hidden_orders_are_executed_or_no_proof)
{
	static const char *const kinds[] = {"realloc", "value",	 "stream", "input", "ended", "closed",	"numbers",
					    "stack",   "robust", "mapped", "timer", "copy",  "letters", "names"};

	for (size_t i = 0; i < e2e_rows(12, sizeof(kinds) / sizeof(*kinds)); i++)
		prove_kind("hidden_orders.c", kinds[i], "input", false);
}

Test(prove, hidden_orders_that_change_nothing_are_no_reason)
{
	static const char *const kinds[] = {"section", "streams", "own_numbers", "copies", "look", "file"};

	for (size_t i = 0; i < e2e_rows(4, sizeof(kinds) / sizeof(*kinds)); i++)
		prove_kind("hidden_orders.c", kinds[i], "input", true);
}

Test(prove, what_cannot_sample_is_refused)
{
	char *program = e2e_target("O2g", "lost_update");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_say(&e2e, WORDS("--policy=dpor,random", program));
	e2e_expect_status(&e2e, 2);
	e2e_say(&e2e, WORDS("--explore-with=dpor", "--memory-model=tso", program));
	e2e_expect_status(&e2e, 2);
	e2e_say(&e2e, WORDS("--explore-with=dpor", "--faults=malloc", program));
	e2e_expect_status(&e2e, 2);
	e2e_say(&e2e, WORDS("--policy=random", "--prove", program));
	e2e_expect_status(&e2e, 2);
	free(program);
	e2e_end(&e2e);
}
