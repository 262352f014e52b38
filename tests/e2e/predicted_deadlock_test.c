/*
 * predicted_deadlock_test.c - deadlocks that one run predicts are created on purpose, and their runs can be replayed
 * and simplified. What a guard lock, a join or the creation of a thread makes impossible is not predicted.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(predicted_deadlock, .timeout = 900);

struct target {
	char name[40];
	int threads; /* of the deadlock, if it is a cycle that rfsup sees while others run; 0: all threads are listed */
	bool at_once; /* the oldest threads go first into it: so the measured run does, too */
};

/* How many deadlocks of different threads the report lists; with `created`, only those that a run created. */
static size_t predicted(const struct e2e *e2e, bool created)
{
	size_t n = 0;

	for (size_t i = 0; i < e2e_count(e2e, "predicted_deadlocks"); i++) {
		const json_t *cycle = e2e_item(e2e, "predicted_deadlocks", i);

		n += !json_object_get(cycle, "one_thread") &&
		     (!created || json_integer_value(json_object_get(cycle, "created")) > 0);
	}
	return n;
}

static bool stack_has(const json_t *lock, const char *function)
{
	const json_t *stack = json_object_get(lock, "stack");
	bool has = false;

	for (size_t i = 0; i < json_array_size(stack); i++) {
		const char *name = json_string_value(json_object_get(json_array_get(stack, i), "function"));

		has |= name && strcmp(name, function) == 0;
	}
	return has;
}

/* One function acquires all locks: only its callers say which thread does what. */
Test(predicted_deadlock, shows_the_callers_of_a_wrapper)
{
	char *program = e2e_target("O2g", "deadlock_wrapped");
	const json_t *threads;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=10", "--explore=0", program));
	e2e_expect(&e2e, predicted(&e2e, false) == 1 && predicted(&e2e, true) == 0, "%s", e2e.said.out);
	threads = json_object_get(e2e_item(&e2e, "predicted_deadlocks", 0), "threads");
	for (size_t i = 0; i < 2; i++) {
		const json_t *part = json_array_get(threads, i);
		const bool first = json_integer_value(json_object_get(part, "thread")) == 1;
		const char *caller = first ? "forward" : "backward";

		e2e_expect(&e2e, stack_has(json_object_get(part, "holds"), caller), "part %zu: %s", i, e2e.said.out);
		e2e_expect(&e2e, stack_has(json_object_get(part, "wants"), caller), "part %zu: %s", i, e2e.said.out);
	}
	e2e_end(&e2e);
	free(program);
}

ParameterizedTestParameters(predicted_deadlock, is_created)
{
	static struct target targets[] = {
		{"deadlock_among_40", 2, false},   {"deadlock_ring_5", 5, false},
		{"deadlock_rwlocks", 2, false},	   {"deadlock_condition", 0, true},
		{"deadlock_semaphores", 0, false}, {"deadlock_behind_writers", 0, false},
	};

	return cr_make_param_array(struct target, targets, sizeof(targets) / sizeof(*targets));
}

/* The finding that the policy deadlock has made, or NULL. at_once: the measured run may have made it. */
static const json_t *find_created(const struct e2e *e2e, bool at_once)
{
	for (size_t i = 0; i < e2e_count(e2e, "deadlocks"); i++) {
		const json_t *finding = e2e_item(e2e, "deadlocks", i);
		const char *policy = json_string_value(json_object_get(finding, "policy"));
		const char *phase = json_string_value(json_object_get(finding, "phase"));

		if ((policy && strcmp(policy, "deadlock") == 0) || (at_once && phase && strcmp(phase, "measure") == 0))
			return finding;
	}
	return NULL;
}

/* One run predicts, so what creates the deadlock is the policy. */
ParameterizedTest(struct target *target, predicted_deadlock, is_created)
{
	char *program = e2e_target("O2g", target->name), *record;
	const json_t *finding;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--seed=4", "--predict-runs=1", "--runs=20", "--explore=0", program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, predicted(&e2e, false) == 1, "%s", e2e.said.out);
	e2e_expect(&e2e, predicted(&e2e, true) == 1, "%s", e2e.said.out);
	finding = find_created(&e2e, target->at_once);
	e2e_expect(&e2e, finding, "no run under the policy deadlock is a finding\n%s", e2e.said.out);
	if (finding && target->threads)
		e2e_expect(&e2e, (int)json_array_size(json_object_get(finding, "threads")) == target->threads, "%s",
			   e2e.said.out);
	record = finding ? e2e_record(&e2e, finding) : NULL;
	if (record) {
		char *simple = e2e_simple_record(record);

		e2e_expect_same_replay(&e2e, record);
		e2e_say(&e2e, WORDS("--simplify", record));
		e2e_expect_status(&e2e, 1);
		e2e_expect_same_replay(&e2e, simple);
		free(simple);
	}
	e2e_end(&e2e);
	free(record);
	free(program);
}

/* The deadlocks of a campaign can be tried alone: pairs.txt names them, and a file written by hand does too. */
Test(predicted_deadlock, is_created_from_a_pairs_file)
{
	static const char by_hand[] = "deadlock: deadlock_among_40.c:50 deadlock_among_40.c:51 "
				      "deadlock_among_40.c:77 deadlock_among_40.c:78\n";
	char *program = e2e_target("O2g", "deadlock_among_40"), path[4096], *text;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=10", "--explore=0", program));
	snprintf(path, sizeof(path), "%s/out/pairs.txt", e2e.folder);
	text = e2e_text(path);
	e2e_expect(&e2e, text && strstr(text, "\ndeadlock: "), "%s", text ? text : "no pairs.txt");
	for (int i = 0; i < 2 && text; i++) {
		const char *given = i ? by_hand : text;
		const json_t *finding;

		spawn_file(e2e.folder, "pairs", given, strlen(given), 0644);
		e2e_run(&e2e, WORDS("--pairs=pairs", "--runs=10", program));
		e2e_expect_status(&e2e, 1);
		finding = find_created(&e2e, false);
		e2e_expect(&e2e, finding, "%s", e2e.said.out);
		if (finding)
			e2e_expect_replay(&e2e, finding);
	}
	e2e_end(&e2e);
	free(text);
	free(program);
}

/* Names that are wrong are refused, with their position. */
Test(predicted_deadlock, wrong_names_are_refused)
{
	static const struct e2e_refused cases[] = {
		{"deadlock: deadlock_among_40.c:50 deadlock_among_40.c:53 a+0x1 b+0x2\n",
		 "pairs:1:34: line 53 of 'deadlock_among_40.c' does not acquire a lock"},
		{"deadlock: deadlock_among_40.c:50 nothing+0x10 a+0x1 b+0x2\n",
		 "pairs:1:34: the program has no function or module named 'nothing'"},
		{"# a\ndeadlock: deadlock_among_40.c:50 deadlock_among_40.c:51\n", "pairs:2:56: a deadlock needs"},
	};
	char *program = e2e_target("O2g", "deadlock_among_40");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_expect_refused(&e2e, program, cases, sizeof(cases) / sizeof(*cases));
	e2e_end(&e2e);
	free(program);
}

/* Names of targets whose deadlock is impossible. */
struct control {
	char name[40];
};

ParameterizedTestParameters(predicted_deadlock, is_not_predicted)
{
	static struct control controls[] = {
		{"deadlock_among_40_fixed"},	 {"deadlock_among_40_guarded_ok"}, {"deadlock_among_40_joined_ok"},
		{"deadlock_among_40_forked_ok"}, {"deadlock_ring_5_fixed"},	   {"deadlock_rwlocks_fixed"},
		{"deadlock_condition_fixed"},	 {"deadlock_semaphores_fixed"},	   {"deadlock_behind_writers_fixed"},
		{"deadlock_spin_fixed"},
	};

	return cr_make_param_array(struct control, controls, sizeof(controls) / sizeof(*controls));
}

ParameterizedTest(struct control *control, predicted_deadlock, is_not_predicted)
{
	char *program = e2e_target("O2g", control->name);
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=10", "--explore=20", program));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, predicted(&e2e, false) == 0, "%s", e2e.said.out);
	e2e_expect(&e2e, !strstr(e2e.said.out, "\ndeadlocks "), "%s", e2e.said.out);
	e2e_end(&e2e);
	free(program);
}

/* The same seed gives the same run, on one core and on two. */
Test(predicted_deadlock, the_campaign_does_not_depend_on_jobs)
{
	char *program = e2e_target("O2g", "deadlock_ring_5"), *text[2];
	struct e2e e2e;

	e2e_begin(&e2e);
	for (int i = 0; i < 2; i++) {
		const json_t *finding;

		e2e_run(&e2e,
			WORDS("--predict-runs=1", "--runs=20", "--explore=0", i ? "--jobs=4" : "--jobs=1", program));
		finding = find_created(&e2e, false);
		e2e_expect(&e2e, finding, "%s", e2e.said.out);
		text[i] = json_dumps(json_object_get(finding, "threads"), JSON_SORT_KEYS);
	}
	e2e_expect(&e2e, text[0] && text[1] && strcmp(text[0], text[1]) == 0, "%s\n%s", text[0], text[1]);
	free(text[0]);
	free(text[1]);
	e2e_end(&e2e);
	free(program);
}
