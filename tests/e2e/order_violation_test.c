/*
 * order_violation_test.c - order violations that one run predicts are created on purpose, and only their harm is a
 * finding. What is used after it was freed fails at its line, in a replay too. In the fixed twins nothing is found.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(order_violation, .timeout = 900);

struct target {
	char name[40];
	char pattern[32];  /* of the harmful violation */
	char detail[16];   /* of the failure */
	char function[48]; /* in which the first operation is */
};

/* for each violation; nearly each run creates it */
#define RUNS (e2e_full() ? "--runs=20" : "--runs=4")

static const json_t *find_order(const struct e2e *e2e, bool harmful)
{
	for (size_t i = 0; i < e2e_count(e2e, "predicted_violations"); i++) {
		const json_t *violation = e2e_item(e2e, "predicted_violations", i);

		if (json_is_true(json_object_get(violation, "order")) &&
		    (!harmful || json_is_true(json_object_get(violation, "harmful"))))
			return violation;
	}
	return NULL;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static int number(const json_t *violation, const char *key, size_t i)
{
	const json_t *orders = json_object_get(violation, "orders");

	return (int)json_integer_value(json_array_get(json_object_get(orders, key), i));
}

ParameterizedTestParameters(order_violation, is_created)
{
	/* first, one of each pattern: the short check */
	static struct target targets[] = {
		{"order_free", "use after free", "SIGSEGV", "work"},
		{"order_handler", "use before initialisation", "SIGSEGV", "install"},
		{"order_notify", "signal before wait", "deadlock", "wait_for_change"},
		{"order_destroy", "use after destroy", "SIGSEGV", "shut_down"},
		{"order_close", "use after close", "SIGABRT", "shut_down"},
		{"order_stack", "use after thread exit", "SIGSEGV", "serve"},
		{"order_session", "use after free", "SIGSEGV", "read_session"},
		{"order_account", "use after free", "SIGSEGV", "close_account"},
		{"order_reuse", "use after close", "SIGABRT", "next_client"},
		{"order_pool", "use after close", "SIGABRT", "drop"},
		{"order_close_twice", "use after close", "SIGABRT", "give_up"},
		{"order_buffer", "use after free", "SIGSEGV", "clean"},
		{"order_deadline", "use after thread exit", "SIGSEGV", "work"},
		{"order_capture", "use after thread exit", "SIGSEGV", "add"},
	};

	return cr_make_param_array(struct target, targets, e2e_rows(6, sizeof(targets) / sizeof(*targets)));
}

ParameterizedTest(struct target *target, order_violation, is_created)
{
	char *program = e2e_target("O2g", target->name), *record;
	const json_t *violation;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS(RUNS, "--explore=0", program));
	e2e_expect_status(&e2e, 1);
	violation = find_order(&e2e, true);
	e2e_expect(&e2e, violation, "no violation is harmful\n%s", e2e.said.out);
	if (violation) {
		e2e_expect(&e2e, strcmp(text_of(violation, "pattern"), target->pattern) == 0, "%s", e2e.said.out);
		e2e_expect(&e2e, strncmp(text_of(violation, "detail"), target->detail, strlen(target->detail)) == 0,
			   "%s", e2e.said.out);
		e2e_expect(&e2e, number(violation, "failed", 0) == number(violation, "runs", 0), "%s", e2e.said.out);
		e2e_expect(&e2e, number(violation, "failed", 1) == 0, "%s", e2e.said.out);
	}
	e2e_expect(&e2e, strstr(e2e.said.out, "HARMFUL ORDER VIOLATION"), "%s", e2e.said.out);
	e2e_expect(&e2e, strstr(e2e.said.out, target->function), "%s", e2e.said.out);
	record = e2e_expect_failing_replay(&e2e);
	if (record) {
		/* its choices alone give the same failure */
		e2e_say(&e2e, WORDS("--simplify", record));
		e2e_expect_status(&e2e, 1);
	}
	e2e_end(&e2e);
	free(record);
	free(program);
}

/* Two variables share the eight bytes for which accesses are kept; the report names the one that was accessed. */
Test(order_violation, names_its_variable)
{
	char *program = e2e_target("O2g", "figure1");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS(RUNS, "--explore=0", program));
	e2e_expect(&e2e, strstr(e2e.said.out, "use before initialisation on y\n"), "%s", e2e.said.out);
	e2e_end(&e2e);
	free(program);
}

/* Names of the twins. */
struct control {
	char name[40];
};

ParameterizedTestParameters(order_violation, is_not_found_in_the_twin)
{
	/* first, the twins of the short check, and what looks like a violation and is none */
	static struct control controls[] = {
		{"order_free_fixed"},	 {"order_handler_fixed"},  {"order_notify_fixed"},  {"order_destroy_fixed"},
		{"order_close_fixed"},	 {"order_stack_fixed"},	   {"freed_on_purpose"},    {"order_stack_reused"},
		{"order_session_fixed"}, {"order_account_fixed"},  {"order_reuse_fixed"},   {"order_buffer_fixed"},
		{"order_pool_fixed"},	 {"order_deadline_fixed"}, {"order_capture_fixed"}, {"order_close_twice_fixed"},
	};

	return cr_make_param_array(struct control, controls, e2e_rows(8, sizeof(controls) / sizeof(*controls)));
}

ParameterizedTest(struct control *control, order_violation, is_not_found_in_the_twin)
{
	char *program = e2e_target("O2g", control->name);
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e,
		WORDS(e2e_full() ? "--runs=20" : "--runs=4", e2e_full() ? "--explore=20" : "--explore=0", program));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, !find_order(&e2e, true), "%s", e2e.said.out);
	e2e_end(&e2e);
	free(program);
}

/* The object that is destroyed, as the target names it. */
ParameterizedTestParameters(order_violation, each_object_is_destroyed)
{
	/* first, those of the short check: one of the pthread objects, and the one that is none */
	static struct control objects[] = {{"rwlock"}, {"semaphore"}, {"cond"}, {"barrier"}, {"spin"}};

	return cr_make_param_array(struct control, objects, e2e_rows(2, sizeof(objects) / sizeof(*objects)));
}

ParameterizedTest(struct control *object, order_violation, each_object_is_destroyed)
{
	char *program = e2e_target("O2g", "order_destroy"), *fixed = e2e_target("O2g", "order_destroy_fixed"),
	     *head = NULL;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS(RUNS, "--explore=0", program, object->name));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, asprintf(&head, "HARMFUL ORDER VIOLATION: use after destroy on %s\n", object->name) > 0,
		   "no memory");
	e2e_expect(&e2e, strstr(e2e.said.out, head), "%s", e2e.said.out);
	if (e2e_full()) {
		e2e_run(&e2e, WORDS("--runs=20", "--explore=0", fixed, object->name));
		e2e_expect_silent(&e2e);
	}
	e2e_end(&e2e);
	free(head);
	free(fixed);
	free(program);
}

static const json_t *find_close(const struct e2e *e2e)
{
	for (size_t i = 0; i < e2e_count(e2e, "predicted_violations"); i++) {
		const json_t *violation = e2e_item(e2e, "predicted_violations", i);

		if (strcmp(text_of(violation, "pattern"), "use after close") == 0)
			return violation;
	}
	return NULL;
}

/* How the descriptor is used or closed, as the target names it. */
ParameterizedTestParameters(order_violation, each_call_uses_a_closed_descriptor)
{
	/* first, those of the short check: another use, and another close */
	static struct control calls[] = {{"poll"}, {"range"}, {"send"}, {"pwrite"}, {"fclose"}};

	return cr_make_param_array(struct control, calls, e2e_rows(2, sizeof(calls) / sizeof(*calls)));
}

ParameterizedTest(struct control *call, order_violation, each_call_uses_a_closed_descriptor)
{
	char *program = e2e_target("O2g", "order_close"), *fixed = e2e_target("O2g", "order_close_fixed");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS(RUNS, "--explore=0", program, call->name));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strstr(e2e.said.out, "HARMFUL ORDER VIOLATION: use after close on descriptor "), "%s",
		   e2e.said.out);
	if (e2e_full()) {
		e2e_run(&e2e, WORDS("--runs=20", "--explore=0", fixed, call->name));
		e2e_expect_silent(&e2e);
		e2e_expect(&e2e, !find_close(&e2e), "%s", e2e.said.out);
	}
	e2e_end(&e2e);
	free(fixed);
	free(program);
}

/* A message between the use and the close makes their order. */
Test(order_violation, an_order_that_is_made_is_not_predicted)
{
	char *program = e2e_target("O2g", "order_close_waits");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS(RUNS, "--explore=0", program));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, !find_close(&e2e), "%s", e2e.said.out);
	e2e_end(&e2e);
	free(program);
}

/* An object that was initialised again may be used. */
Test(order_violation, a_new_life_is_no_failure)
{
	char *program = e2e_target("O2g", "order_reinit");
	const json_t *violation;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS(RUNS, "--explore=0", program));
	e2e_expect_silent(&e2e);
	violation = find_order(&e2e, false);
	e2e_expect(&e2e, violation && json_integer_value(json_object_get(violation, "created")) > 0, "%s",
		   e2e.said.out);
	e2e_end(&e2e);
	free(program);
}

/* The violations of a campaign can be tried alone: pairs.txt names them, and calls by return addresses. */
static void expect_from_pairs(const char *name)
{
	char *program = e2e_target("O2g", name);
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run_own_pairs(&e2e, program, "order");
	e2e_expect(&e2e, find_order(&e2e, true), "%s", e2e.said.out);
	e2e_end(&e2e);
	free(program);
}

Test(order_violation, is_created_from_a_pairs_file)
{
	/* first, an access and a wait: the short check */
	static const char *const names[] = {"order_free",    "order_notify", "order_close", "order_destroy",
					    "order_account", "order_reuse",  "order_stack", "order_deadline"};

	for (size_t i = 0; i < e2e_rows(2, sizeof(names) / sizeof(*names)); i++)
		expect_from_pairs(names[i]);
}

Test(order_violation, wrong_names_are_refused)
{
	static const struct e2e_refused cases[] = {
		{"order: use-free order_free.c:30 order_free.c:42\n", "a place is missing"},
		{"order: sometimes a:1 b:2 -\n", "is not a kind of order violation"},
		{"order: wait-signal order_free.c:30 order_free.c:42 -\n", "must be named by its return address"},
		{"order: use-free order_free.c:30 order_free.c:42 order_free.c:25\n",
		 "must be named by its return address"},
	};
	char *program = e2e_target("O2g", "order_free");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_expect_refused(&e2e, program, cases, sizeof(cases) / sizeof(*cases));
	e2e_run(&e2e, WORDS("--policy=order", program));
	e2e_expect_status(&e2e, 2);
	e2e_expect(&e2e, strstr(e2e.said.err, "needs a predicted violation"), "%s", e2e.said.err);
	e2e_end(&e2e);
	free(program);
}
