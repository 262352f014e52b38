/* verify_test.c - --verify: all runs of a seed are the same, or the first operation that differs is reported. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(verify, .timeout = 900);

Test(verify, says_deterministic)
{
	static const char *const names[] = {"figure1", "timed_waits", "pipes_threads", "signal_handler", "sleepers"};
	struct e2e e2e;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *program = e2e_target("O2g", names[i]);

		e2e_begin(&e2e);
		e2e_say(&e2e, WORDS("--verify=10", "--seed=3", program));
		e2e_expect_status(&e2e, 0);
		e2e_expect(&e2e, strstr(e2e.said.out, "deterministic: 10 runs of seed 3"), "%s", e2e.said.out);
		e2e_end(&e2e);
		free(program);
	}
}

/* What the program sees of its children depends on when their sleeps and timers end, and on which of two children is
 * faster. */
Test(verify, child_processes_are_deterministic)
{
	static const char *const names[] = {"child_sleeps", "child_timers", "child_race"};
	struct e2e e2e;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *program = e2e_target("O2g", names[i]);

		e2e_begin(&e2e);
		e2e_say(&e2e, WORDS("--verify=3", program));
		e2e_expect(&e2e, strstr(e2e.said.out, "deterministic: 3 runs"), "%s", e2e.said.out);
		e2e_expect_status(&e2e, 0);
		e2e_end(&e2e);
		free(program);
	}
}

/* A child that works for longer than choices wait goes on beside the program, and rfsup says so. */
Test(verify, child_that_works_for_long_is_named)
{
	static const char *const rounds[] = {"3000000000", "1"};
	char *program = e2e_target("O2g", "child_computes");
	struct e2e e2e;

	/* the first row computes for seconds */
	for (size_t i = e2e_full() ? 0 : 1; i < sizeof(rounds) / sizeof(*rounds); i++) {
		e2e_begin(&e2e);
		e2e_say(&e2e, WORDS("--policy=random", "--runs=1", "--no-confirm", program, rounds[i]));
		e2e_expect(&e2e, !strstr(e2e.said.err, "a replay may differ") == (i == 1), "%s", e2e.said.err);
		e2e_end(&e2e);
	}
	free(program);
}

Test(verify, names_the_first_difference)
{
	char *program = e2e_target("O2g", "prints_outside");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_say(&e2e, WORDS("--verify=20", program));
	e2e_expect_status(&e2e, 3);
	e2e_expect(&e2e, strstr(e2e.said.out, "not deterministic: run "), "%s", e2e.said.out);
	e2e_expect(&e2e, strstr(e2e.said.out, "operation "), "%s", e2e.said.out);
	e2e_expect(&e2e, strstr(e2e.said.out, "the recorded run was at"), "%s", e2e.said.out);
	e2e_expect(&e2e, strstr(e2e.said.out, "this run is at"), "%s", e2e.said.out);
	e2e_expect(&e2e, strstr(e2e.said.out, "likely cause: "), "%s", e2e.said.out);
	e2e_end(&e2e);
	free(program);
}

Test(verify, takes_a_number_and_a_program)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_say(&e2e, WORDS("--verify=1", "/bin/true"));
	e2e_expect_status(&e2e, 2);
	e2e_say(&e2e, WORDS("--verify=3"));
	e2e_expect_status(&e2e, 2);
	e2e_say(&e2e, WORDS("--verify=3", "--pairs=/dev/null", "/bin/true"));
	e2e_expect_status(&e2e, 2);
	e2e_end(&e2e);
}
