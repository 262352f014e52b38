/* What a program finds at its start differs between the executions of an exploration, and is the same in a replay. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(start, .timeout = 600);

static bool text_is(const json_t *object, const char *key, const char *value)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text && strcmp(text, value) == 0;
}

/* A branch that the program takes by the date is found by exploration only, with the fork server and without. */
Test(start, exploration_draws_the_date_and_random_bytes_from_the_seed)
{
	static const char *const cases[] = {"date", "uptime", "bytes"};
	static const char *const servers[] = {"--seed=1", "--no-fork-server"};

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(*cases); i++) {
		struct e2e e2e;
		char *program;
		json_t *failure;

		/* in turns in the short check */
		if (!e2e_full() && i % 2 != i / 2 % 2)
			continue;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "by_date.c", "-O2 -g -pthread");
		e2e_run(&e2e, WORDS("--explore=60", servers[i % 2], program, cases[i / 2]));
		e2e_expect_status(&e2e, 1);
		failure = e2e_item(&e2e, "failures", 0);
		e2e_expect(&e2e, text_is(failure, "phase", "explore"), "%s: %s", cases[i / 2], e2e.said.out);
		e2e_expect_replay(&e2e, failure);
		e2e_end(&e2e);
		free(program);
	}
}

Test(start, nothing_is_found_in_a_program_that_does_not_ask)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "by_date.c", "-O2 -g -pthread");
	e2e_run(&e2e, WORDS("--explore=60", program, "fixed"));
	e2e_expect_silent(&e2e);
	e2e_end(&e2e);
	free(program);
}
