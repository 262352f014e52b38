/* cause_test.c - a failure of exploration is attributed to its race, although no run of the pair fails. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "tests/e2e/harness.h"

TestSuite(cause, .timeout = 600);

Test(cause, a_failure_of_exploration_is_attributed_to_a_race)
{
	char *program = e2e_target("O2g", "rare_state"), *fixed = e2e_target("O2g", "rare_state_fixed");
	const json_t *pair, *failure;
	struct e2e e2e;

	e2e_begin(&e2e);
	/* the runs of the pair seldom get into the state in which the race matters */
	e2e_run(&e2e, WORDS("--runs=6", "--explore=200", "--explore-with=rff", program));
	e2e_expect_status(&e2e, 1);
	cr_assert_eq(e2e_count(&e2e, "pairs"), 1, "%s", e2e.said.out);
	pair = e2e_item(&e2e, "pairs", 0);
	failure = json_object_get(pair, "failure");
	e2e_expect(&e2e, json_integer_value(json_object_get(pair, "failures")) == 0, "%s", e2e.said.out);
	e2e_expect(&e2e, strcmp(json_string_value(json_object_get(pair, "verdict")), "harmful") == 0, "%s",
		   e2e.said.out);
	e2e_expect(&e2e, json_is_true(json_object_get(failure, "attributed")), "%s", e2e.said.out);
	e2e_expect(&e2e, e2e_count(&e2e, "failures") == 0, "the failure is reported twice\n%s", e2e.said.out);
	e2e_say(&e2e, WORDS("--replay", json_string_value(json_object_get(pair, "record"))));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strstr(e2e.said.err, "same as the recorded run"), "%s", e2e.said.err);
	e2e_run(&e2e, WORDS("--runs=6", "--explore=200", fixed));
	e2e_expect_silent(&e2e);
	e2e_end(&e2e);
	free(program);
	free(fixed);
}

static void expect_use_after_free(const char *source, const char *flags, const char *options)
{
	char *with = xasprintf("%s -DFIXED", flags), *program;
	const json_t *pair;
	struct e2e e2e;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, source, flags);
	e2e_run(&e2e, WORDS(options, program));
	e2e_expect_status(&e2e, 1);
	pair = e2e_item(&e2e, "pairs", 0);
	e2e_expect(&e2e, strcmp(json_string_value(json_object_get(pair, "verdict")), "harmful") == 0, "%s",
		   e2e.said.out);
	e2e_expect(&e2e, strstr(e2e.said.out, "use after free: if the free goes first"), "%s", e2e.said.out);
	free(program);
	program = e2e_program(&e2e, source, with);
	e2e_run(&e2e, WORDS(options, program));
	e2e_expect_silent(&e2e);
	free(program);
	free(with);
	e2e_end(&e2e);
}

/* No run that passes shows that the free and the use are not ordered, because the pointer is seldom another one. */
Test(cause, a_failure_shows_a_use_after_free_that_no_run_has_predicted)
{
	expect_use_after_free("hazard_reloaded.c", "-g -O2 -pthread", "--until-failure");
	if (!e2e_full())
		return;
	expect_use_after_free("hazard_reloaded.c", "-g -O1 -pthread", "--seed=1");
	expect_use_after_free("object_reloaded.cc", "-g -O2 -std=c++20 -pthread", "--seed=2");
	expect_use_after_free("config_swapped.c", "-g -O1 -pthread", "--seed=1");
}
