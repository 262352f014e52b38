/* The policy sweep on a program whose bug needs one preemption that random policies do not draw in 200 runs. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(sweep, .timeout = 600);

static double number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : -1;
}

static double sampled(const struct e2e *e2e, const char *key)
{
	return number(json_object_get(e2e->report, "sampling"), key);
}

static double counter(const struct e2e *e2e, const char *key)
{
	return number(json_object_get(json_object_get(e2e->report, "sampling"), "stats"), key);
}

Test(sweep, finds_what_random_policies_do_not)
{
	char *program = e2e_target("O2g", "version_wraps");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--policy=random,pos,surw", "--runs=200", program));
	e2e_expect_status(&e2e, 0);
	for (const char *const *seed = WORDS("--seed=1", "--seed=2", "--seed=1000000"); *seed; seed++) {
		e2e_run(&e2e, WORDS("--policy=sweep", "--runs=30", *seed, program));
		e2e_expect_status(&e2e, 1);
		e2e_expect(&e2e, sampled(&e2e, "first_failure") <= 10, "first failure in run %.0f",
			   sampled(&e2e, "first_failure"));
		e2e_expect_replay(&e2e, e2e_item(&e2e, "failures", 0));
	}
	free(program);
	e2e_end(&e2e);
}

/* The twin passes under all schedules with one preemption, and rfsup knows that these were all. */
Test(sweep, says_that_everything_was_tried)
{
	char *program = e2e_target("O2g", "version_wraps_fixed");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--policy=sweep:bound=1", "--runs=200", program));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, counter(&e2e, "missed") == 0, "%s", e2e.said.out);
	e2e_expect(&e2e, counter(&e2e, "exhausted") > 10 && counter(&e2e, "exhausted") < 190, "%s", e2e.said.out);
	free(program);
	e2e_end(&e2e);
}

/* The text of the report without times and without the number of jobs. */
static char *report_with(struct e2e *e2e, const char *program, const char *jobs)
{
	json_t *samplings;
	char *text;

	e2e_run(e2e, WORDS("--policy=sweep", "--runs=40", "--detector=hybrid", "--points=races", "--keep-records", jobs,
			   program));
	samplings = json_object_get(e2e->report, "sampling");
	text = json_dumps(samplings, JSON_SORT_KEYS);
	cr_assert_not_null(text);
	return text;
}

Test(sweep, jobs_change_nothing)
{
	char *program = e2e_target("O2g", "atomicity_split"), *one, *two;
	struct e2e e2e;

	e2e_begin(&e2e);
	one = report_with(&e2e, program, "--jobs=1");
	two = report_with(&e2e, program, "--jobs=2");
	e2e_expect(&e2e, strcmp(one, two) == 0, "%s\n%s", one, two);
	free(one);
	free(two);
	free(program);
	e2e_end(&e2e);
}
