/* figures_test.c - the worked examples of the race-directed paper (PLDI 2008, figures 1 and 2), with its numbers. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(figures, .timeout = 600);

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
/*
 * Bounds for failures in 100 tosses of a fair coin. A correct program is outside for one seed in 900. The seeds here
 * are fixed.
 */
#define LEAST 35
#define MOST 65

static const char *const seeds[] = {"--seed=1", "--seed=1001", "--seed=2001"};
#define N_SEEDS e2e_rows(1, sizeof(seeds) / sizeof(*seeds))

static long long number(const json_t *pair, const char *key)
{
	return json_integer_value(json_object_get(pair, key));
}

static long long reached(const json_t *pair, size_t statement)
{
	return json_integer_value(json_array_get(json_object_get(pair, "reached"), statement));
}

/* The pair on a variable that has this verdict. If there is none, notes a failure and returns NULL. */
static const json_t *expect_pair(struct e2e *e2e, const char *variable, const char *verdict)
{
	for (size_t i = 0; i < e2e_count(e2e, "pairs"); i++) {
		const json_t *pair = e2e_item(e2e, "pairs", i);
		const char *on = json_string_value(json_object_get(pair, "variable"));
		const char *is = json_string_value(json_object_get(pair, "verdict"));

		if (!on || strcmp(on, variable) != 0)
			continue;
		e2e_expect(e2e, is && strcmp(is, verdict) == 0, "the pair on %s is %s, not %s", variable, is ? is : "?",
			   verdict);
		return pair;
	}
	e2e_expect(e2e, false, "no pair on %s", variable);
	return NULL;
}

/* Both statements of the pair must have stacks. */
static void expect_stacks(struct e2e *e2e, const json_t *pair)
{
	for (size_t i = 0; i < 2; i++) {
		const json_t *statement = json_array_get(json_object_get(pair, "statements"), i);

		e2e_expect(e2e, json_array_size(json_object_get(statement, "stack")) > 0, "statement %zu has no stack",
			   i + 1);
	}
}

static void expect_half_fails(struct e2e *e2e, const json_t *pair)
{
	long long failures = number(pair, "failures");

	e2e_expect(e2e, failures >= LEAST && failures <= MOST, "%lld runs failed", failures);
}

Test(figures, figure1)
{
	char *program = e2e_target("O2g", "figure1");

	for (size_t i = 0; i < N_SEEDS; i++) {
		struct e2e e2e;
		const json_t *x, *z;

		e2e_begin(&e2e);
		e2e_run(&e2e, WORDS(seeds[i], "--predict-runs=20", "--explore=0", program));
		e2e_expect_status(&e2e, 1);
		e2e_expect(&e2e, e2e_count(&e2e, "pairs") == 2, "exactly the pairs on x and z");
		z = expect_pair(&e2e, "z", "harmful");
		e2e_expect(&e2e, number(z, "confirmed") == reached(z, 0) && reached(z, 0) == reached(z, 1),
			   "created in every run that reaches it");
		expect_half_fails(&e2e, z);
		x = expect_pair(&e2e, "x", "unconfirmed");
		e2e_expect(&e2e, number(x, "runs") == 100 && number(x, "confirmed") == 0, "x is never created");
		e2e_expect(&e2e, reached(x, 0) > 0 && reached(x, 1) > 0,
			   "both of its statements are reached: %lld and %lld runs", reached(x, 0), reached(x, 1));
		expect_stacks(&e2e, x);
		expect_stacks(&e2e, z);
		e2e_end(&e2e);
	}
	free(program);
}

Test(figures, figure2)
{
	static const char *const statements[] = {"5", "500", "50000"};
	char *program = e2e_target("O2g", "figure2");

	/* the distance between the two statements makes no difference */
	for (size_t n = 0; n < sizeof(statements) / sizeof(*statements); n += e2e_rows(2, 1))
		for (size_t i = 0; i < N_SEEDS; i++) {
			struct e2e e2e;
			const json_t *x;

			e2e_begin(&e2e);
			e2e_run(&e2e, WORDS(seeds[i], "--explore=0", program, statements[n]));
			e2e_expect_status(&e2e, 1);
			x = expect_pair(&e2e, "x", "harmful");
			e2e_expect(&e2e, number(x, "confirmed") == 100, "%s statements: created in %lld runs",
				   statements[n], number(x, "confirmed"));
			expect_half_fails(&e2e, x);
			e2e_end(&e2e);
		}
	free(program);
}

/* The first two runs have both orders of the race, whatever the seed is. The read goes first in run 1, which fails. */
Test(figures, two_runs_have_both_orders)
{
	char *program = e2e_target("O2g", "figure2"), seed[32], line[128];

	for (int i = 1; i <= (e2e_full() ? 6 : 2); i++) {
		struct e2e e2e;
		const json_t *x;

		snprintf(seed, sizeof(seed), "--seed=%d", i);
		snprintf(line, sizeof(line),
			 "run pair-1-seed-%d: statements reached 1 and 1 times, 1 races created, signal SIGABRT\n", i);
		e2e_begin(&e2e);
		e2e_run(&e2e, WORDS(seed, "--verbose", "--runs=2", "--explore=0", program));
		e2e_expect_status(&e2e, 1);
		x = expect_pair(&e2e, "x", "harmful");
		e2e_expect(&e2e, number(x, "confirmed") == 2 && number(x, "failures") == 1, "%s", e2e.said.out);
		e2e_expect(&e2e, strstr(e2e.said.err, line), "%s", e2e.said.err);
		e2e_end(&e2e);
	}
	free(program);
}

Test(figures, verbose_tells_each_run_of_a_pair)
{
	char *program = e2e_target("O2g", "figure1"), line[64];
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--verbose", "--runs=10", "--explore=0", program));
	e2e_expect_status(&e2e, 1);
	for (int seed = 1; seed <= 10; seed++) {
		snprintf(line, sizeof(line), "rfsup: run pair-2-seed-%d: statements reached ", seed);
		e2e_expect(&e2e, strstr(e2e.said.err, line), "nothing of seed %d\n%s", seed, e2e.said.err);
	}
	e2e_expect(&e2e, strstr(e2e.said.err, " 1 races created, signal SIGABRT\n"), "%s", e2e.said.err);
	e2e_expect(&e2e, strstr(e2e.said.err, " with this order, in 0 of 20 with the other (p = "), "%s", e2e.said.err);
	e2e_run(&e2e, WORDS("--runs=10", "--explore=0", program));
	e2e_expect(&e2e, !strstr(e2e.said.err, "statements reached"), "%s", e2e.said.err);
	e2e_end(&e2e);
	free(program);
}
