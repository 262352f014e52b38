/*
 * atomicity_test.c - atomicity violations that one run predicts are created on purpose, and only their harm is a
 * finding. In the fixed twins nothing is found.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(atomicity, .timeout = 900);

struct target {
	char name[40];
	char pattern[8]; /* of the harmful violation */
};

/* The violation that is harmful, or NULL. */
static const json_t *find_harmful(const struct e2e *e2e)
{
	for (size_t i = 0; i < e2e_count(e2e, "predicted_violations"); i++) {
		const json_t *violation = e2e_item(e2e, "predicted_violations", i);

		if (json_is_true(json_object_get(violation, "harmful")))
			return violation;
	}
	return NULL;
}

static int number(const json_t *object, const char *key, size_t i)
{
	return (int)json_integer_value(json_array_get(json_object_get(object, key), i));
}

ParameterizedTestParameters(atomicity, is_created)
{
	/* first, one of each pattern and a double free: the short check */
	static struct target targets[] = {
		{"atomicity_bank", "R-w-W"},	{"atomicity_lazy", "W-r-W"},  {"atomicity_refcount", "R-w-R"},
		{"order_double_free", "R-w-W"}, {"atomicity_owner", "R-w-W"}, {"atomicity_map", "R-w-R"},
		{"order_signal", "R-w-R"},
	};

	return cr_make_param_array(struct target, targets, e2e_rows(4, sizeof(targets) / sizeof(*targets)));
}

ParameterizedTest(struct target *target, atomicity, is_created)
{
	char *program = e2e_target("O2g", target->name);
	const json_t *violation, *orders;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=20", "--explore=0", program));
	e2e_expect_status(&e2e, 1);
	violation = find_harmful(&e2e);
	e2e_expect(&e2e, violation, "no violation is harmful\n%s", e2e.said.out);
	if (violation) {
		orders = json_object_get(violation, "orders");
		e2e_expect(&e2e, strcmp(json_string_value(json_object_get(violation, "pattern")), target->pattern) == 0,
			   "%s", e2e.said.out);
		e2e_expect(&e2e, number(orders, "failed", 0) > number(orders, "failed", 1), "%s", e2e.said.out);
		e2e_expect(&e2e, json_integer_value(json_object_get(violation, "created")) > 0, "%s", e2e.said.out);
	}
	e2e_expect(&e2e, strstr(e2e.said.out, "HARMFUL ATOMICITY VIOLATION"), "%s", e2e.said.out);
	free(e2e_expect_failing_replay(&e2e));
	e2e_end(&e2e);
	free(program);
}

/* Names of the twins. */
struct control {
	char name[40];
};

ParameterizedTestParameters(atomicity, is_not_found_in_the_twin)
{
	static struct control controls[] = {
		{"atomicity_bank_fixed"},    {"atomicity_lazy_fixed"},	{"atomicity_refcount_fixed"},
		{"order_double_free_fixed"}, {"atomicity_owner_fixed"}, {"atomicity_map_fixed"},
		{"atomicity_upgrade_fixed"}, {"order_signal_fixed"},
	};

	return cr_make_param_array(struct control, controls, e2e_rows(4, sizeof(controls) / sizeof(*controls)));
}

ParameterizedTest(struct control *control, atomicity, is_not_found_in_the_twin)
{
	char *program = e2e_target("O2g", control->name);
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=20", "--explore=20", program));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, !find_harmful(&e2e), "%s", e2e.said.out);
	e2e_end(&e2e);
	free(program);
}

/* The violations of a campaign can be tried alone: pairs.txt names them. */
Test(atomicity, is_created_from_a_pairs_file)
{
	char *program = e2e_target("O2g", "atomicity_bank");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run_own_pairs(&e2e, program, "atomicity");
	e2e_expect(&e2e, find_harmful(&e2e), "%s", e2e.said.out);
	e2e_end(&e2e);
	free(program);
}

Test(atomicity, wrong_names_are_refused)
{
	static const struct e2e_refused cases[] = {
		{"atomicity: atomicity_bank.c:21 atomicity_bank.c:32\n", "an access is missing"},
		{"atomicity: a+0x1 b+0x2@x c+0x3\n", "is not a thread"},
		{"atomicity: nothing+0x10 b+0x2 c+0x3\n", "has no function or module named 'nothing'"},
	};
	char *program = e2e_target("O2g", "atomicity_bank");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_expect_refused(&e2e, program, cases, sizeof(cases) / sizeof(*cases));
	e2e_run(&e2e, WORDS("--policy=atomicity", program));
	e2e_expect_status(&e2e, 2);
	e2e_expect(&e2e, strstr(e2e.said.err, "needs a predicted violation"), "%s", e2e.said.err);
	e2e_end(&e2e);
	free(program);
}
