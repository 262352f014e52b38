/*
 * generate_results_test.c - rfsup --generate finds bugs that end in no failure: the object has a state that no
 * sequential order of the calls gives, or with --results, the calls give back what none gives. The C program of a
 * finding checks that too. Twins and safe types have no finding.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/generated.h"
#include "tests/e2e/harness.h"

TestSuite(generate_results, .timeout = 600);

/* A library, and whether it has a bug. If a method tells the state, the bug is found without --results. The first six
 * are for the short check. */
static const struct row {
	const char *library, *header, *tests;
	bool wrong;
	bool by_default; /* a method tells the state of an object, or a safe type promises nothing else */
} rows[] = {
	{"gen_counter", "gen_counter", "30", true, true},
	{"gen_answers", "gen_answers", "60", true, false},
	{"gen_counter_fixed", "gen_counter", "12", false, true},
	{"gen_answers_fixed", "gen_answers", "12", false, false},
	{"gen_ok_rwlock", "gen_ok_rwlock", "8", false, false},
	{"gen_ok_worker", "gen_ok_worker", "8", false, true},
	{"gen_label", "gen_label", "30", true, true},
	{"gen_span", "gen_span", "30", true, true},
	{"gen_label_fixed", "gen_label", "12", false, true},
	{"gen_span_fixed", "gen_span", "12", false, true},
	{"gen_ok_gmutex", "gen_ok_gmutex", "8", false, false},
	{"gen_ok_recursive", "gen_ok_recursive", "8", false, false},
	{"gen_ok_counters", "gen_ok_counters", "8", false, true},
	{"gen_ok_stack", "gen_ok_stack", "8", false, true},
};

/* The C program of the finding has all outcomes of the sequential orders, and its record replays the failure. */
static void expect_wrong(struct e2e *e2e, const json_t *report, bool has_state)
{
	const json_t *finding = json_object_get(generated_type(report, 0), "finding");
	const json_t *results = json_object_get(finding, "results"), *order;
	size_t n = json_array_size(json_object_get(results, "observed")), i;
	char *program = e2e_text(generated_string(finding, "program"));

	e2e_expect_status(e2e, 1);
	e2e_expect(e2e, strcmp(generated_string(finding, "kind"), "wrong result") == 0, "another kind\n%s",
		   e2e->said.out);
	e2e_expect(e2e, json_is_true(json_object_get(finding, "confirmed")), "not confirmed\n%s", e2e->said.out);
	e2e_expect(e2e, n > 0 && json_array_size(json_object_get(results, "of")) == n, "no results\n%s", e2e->said.out);
	json_array_foreach(json_object_get(results, "sequential"), i, order) e2e_expect(
		e2e, !json_equal(order, json_object_get(results, "observed")), "a sequential order\n%s", e2e->said.out);
	e2e_expect(e2e, i > 0, "no sequential orders\n%s", e2e->said.out);
	e2e_expect(e2e, program && strstr(program, "possible[]") && strstr(program, "check();"), "no check\n%s",
		   program ? program : "");
	json_array_foreach(json_object_get(finding, "after"), i, order)
	{
		const char *call = json_string_value(order);
		char wanted[200];

		/* without the semicolon: the call is the argument of another one */
		snprintf(wanted, sizeof(wanted), ", %.*s);", (int)strlen(call) - 1, call);
		e2e_expect(e2e, program && strstr(program, wanted), "no '%s'\n%s", wanted, program ? program : "");
	}
	e2e_expect(e2e, i > 0 || !has_state, "no calls after both\n%s", e2e->said.out);
	e2e_say(e2e, WORDS("--replay", generated_string(finding, "record")));
	e2e_expect_status(e2e, 1);
	free(program);
}

static void release(struct criterion_test_params *params)
{
	cr_free(params->params);
}

ParameterizedTestParameters(generate_results, libraries)
{
	const size_t n = e2e_rows(6, sizeof(rows) / sizeof(*rows));
	size_t *all = cr_malloc(n * sizeof(*all));

	for (size_t i = 0; i < n; i++)
		all[i] = i;
	return cr_make_param_array(size_t, all, n, release);
}

ParameterizedTest(const size_t *i, generate_results, libraries)
{
	const struct row *row = &rows[*i];
	const char *const options[] = {"--tests", row->tests, "--runs", "30", row->by_default ? NULL : "--results",
				       NULL};
	struct e2e e2e;
	json_t *report;

	e2e_begin(&e2e);
	report = generated(&e2e, row->library, row->header, options);
	if (row->wrong)
		expect_wrong(&e2e, report, row->by_default);
	else
		generated_nothing(&e2e, report);
	json_decref(report);
	e2e_end(&e2e);
}

/* With --no-results, such a bug is no finding. */
Test(generate_results, results_and_states_need_not_be_compared)
{
	static const char *const options[] = {"--no-results", "--tests", "8", "--runs", "30", NULL};
	struct e2e e2e;
	json_t *report;

	e2e_begin(&e2e);
	report = generated(&e2e, "gen_counter", "gen_counter", options);
	generated_nothing(&e2e, report);
	json_decref(report);
	e2e_end(&e2e);
}
