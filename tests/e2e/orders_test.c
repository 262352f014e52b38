/*
 * orders_test.c - the number of partial orders that sampling reports. The programs are real, and their orders can be
 * counted by hand.
 */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(orders, .timeout = 1800);

static const json_t *sampling_of(const struct e2e *e2e, size_t i)
{
	const json_t *one = json_object_get(e2e->report, "sampling");

	return one ? one : json_array_get(json_object_get(e2e->report, "samplings"), i);
}

static double number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : -1;
}

/* Seeds are fixed, so the result is fixed too. With other seeds, one of 6 orders might be missing. */
Test(orders, as_many_as_there_are)
{
	static const struct {
		const char *shape, *points, *runs;
		int orders;
	} cases[] = {
		{"locks", "sync", "100", 4},  {"queue", "sync", "100", 6},   {"own", "sync", "40", 1},
		{"stacks", "sync", "40", 1},  {"posts", "sync", "40", 1},    {"adds", "sync", "40", 2},
		{"reads", "memory", "40", 1}, {"mixed", "memory", "200", 4}, {"meet", "sync", "40", 1},
		{"serial", "sync", "100", 6},
	};
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "orders.c", "-O1 -g -pthread");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		e2e_run(&e2e, WORDS("--policy=random,rapos", "--runs", cases[i].runs, "--points", cases[i].points,
				    program, cases[i].shape));
		e2e_expect_status(&e2e, 0);
		for (size_t k = 0; k < 2; k++) {
			const json_t *sampling = sampling_of(&e2e, k), *orders = json_object_get(sampling, "orders");
			double runs = 0;

			e2e_expect(&e2e, number(sampling, "distinct_orders") == cases[i].orders,
				   "%s: %.0f orders, not %d", cases[i].shape, number(sampling, "distinct_orders"),
				   cases[i].orders);
			e2e_expect(&e2e, (int)json_array_size(orders) == cases[i].orders, "%s: a line each",
				   cases[i].shape);
			for (size_t o = 0; o < json_array_size(orders); o++)
				runs += number(json_array_get(orders, o), "count");
			e2e_expect(&e2e, runs == atoi(cases[i].runs), "%s: %.0f runs", cases[i].shape, runs);
			e2e_expect(&e2e, number(sampling, "unseen_orders") == 0, "%s: all were seen", cases[i].shape);
		}
	}
	free(program);
	e2e_end(&e2e);
}

/* The plot has a panel for each policy, except for uncontrolled runs. */
Test(orders, plot)
{
	char *program = e2e_target("O2g", "philosophers_fixed"), *picture;
	char path[PATH_MAX];
	struct e2e e2e;
	size_t panels = 0;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--policy=random,pct:depth=4,native", "--runs=30", "--plot=picture.svg", program));
	e2e_expect_status(&e2e, 0);
	snprintf(path, sizeof(path), "%s/picture.svg", e2e.folder);
	picture = e2e_text(path);
	cr_assert_not_null(picture);
	for (const char *at = picture; (at = strstr(at, "class=\"orders\"")); at++)
		panels++;
	e2e_expect(&e2e, panels == 2, "%zu panels", panels);
	e2e_expect(&e2e, strstr(picture, ">pct:depth=4<") != NULL, "the policy and its options stand over its panel");
	e2e_expect(&e2e, json_object_get(sampling_of(&e2e, 2), "orders") == NULL, "nothing is known of native runs");
	e2e_expect(&e2e, number(sampling_of(&e2e, 2), "runs") == 30, "but that they were");
	free(picture);
	free(program);
	e2e_end(&e2e);
}

/* Sampling stops at the first failing run, or a few runs later. */
Test(orders, until_failure)
{
	char *program = e2e_target("O2g", "philosophers");
	struct e2e e2e;
	double first, runs;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--policy=random", "--runs=500", "--until-failure", program));
	e2e_expect_status(&e2e, 1);
	first = number(sampling_of(&e2e, 0), "first_failure");
	runs = number(sampling_of(&e2e, 0), "runs");
	e2e_expect(&e2e, first >= 1 && runs >= first && runs < first + 8, "%.0f of %.0f", first, runs);
	free(program);
	e2e_end(&e2e);
}
