/* rff_test.c - the policy rff on programs whose bug random policies do not find in as many runs. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(rff, .timeout = 600);

/* The shapes of the benchmark. Caller frees. */
static char *needles(struct e2e *e2e)
{
	return e2e_program_at(e2e, "../../bench/programs/", "first_needles.c", "-O2 -g -pthread");
}

static double sampled(const struct e2e *e2e, const char *key)
{
	return json_number_value(json_object_get(json_object_get(e2e->report, "sampling"), key));
}

Test(rff, finds_what_random_policies_do_not)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = needles(&e2e);
	e2e_run(&e2e, WORDS("--policy=random,pos", e2e_full() ? "--runs=60" : "--runs=30", program, "two_stage", "20"));
	e2e_expect_status(&e2e, 0);
	for (const char *const *seed = WORDS("--seed=1", e2e_full() ? "--seed=1000001" : NULL, "--seed=2000001"); *seed;
	     seed++) {
		char *record;

		e2e_run(&e2e, WORDS("--policy=rff", "--runs=60", *seed, program, "two_stage", "20"));
		e2e_expect_status(&e2e, 1);
		/* the record has what the runs before have learnt */
		record = e2e_record(&e2e, e2e_item(&e2e, "failures", 0));
		e2e_expect(&e2e, record && sampled(&e2e, "first_failure") > 1, "first failure in run %.0f",
			   sampled(&e2e, "first_failure"));
		if (record)
			e2e_expect_same_replay(&e2e, record);
		free(record);
	}
	free(program);
	e2e_end(&e2e);
}

Test(rff, twins_are_silent)
{
	static const char *const shapes[][3] = {{"check", "5", "fixed"},     {"two_stage", "5", "fixed"},
						{"quicksort", "1", "fixed"}, {"driver", "1", "fixed"},
						{"stack", "1", "fixed"},     {"port", "1", "fixed"}};
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = needles(&e2e);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		e2e_run(&e2e, WORDS("--policy=rff", "--points=races", e2e_full() ? "--runs=60" : "--runs=20", program,
				    shapes[i][0], shapes[i][1], shapes[i][2]));
		e2e_expect_silent(&e2e);
	}
	free(program);
	e2e_end(&e2e);
}

/* What the runs of a sampling found out, as text. Caller frees. */
static char *sampling_of(struct e2e *e2e, const char *program, const char *jobs)
{
	char *text;

	e2e_run(e2e,
		WORDS("--policy=rff", "--runs=40", "--points=races", "--keep-records", jobs, program, "check", "5"));
	text = json_dumps(json_object_get(e2e->report, "sampling"), JSON_SORT_KEYS);
	cr_assert_not_null(text);
	return text;
}

Test(rff, jobs_change_nothing)
{
	char *program, *one, *two;
	struct e2e e2e;

	e2e_begin(&e2e);
	program = needles(&e2e);
	one = sampling_of(&e2e, program, "--jobs=1");
	two = sampling_of(&e2e, program, "--jobs=2");
	e2e_expect(&e2e, strcmp(one, two) == 0, "%s\n%s", one, two);
	e2e_expect(&e2e, sampled(&e2e, "failures") > 1, "%.0f failures", sampled(&e2e, "failures"));
	free(one);
	free(two);
	free(program);
	e2e_end(&e2e);
}
