/*
 * Programs that were built with a sanitizer run under control as they are. A created race with free is seen by
 * AddressSanitizer, and the report shows what it said. The sanitizer's own memory and code are not the program's.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(sanitizer, .timeout = 600);

/* first, that of the short check */
static const char *const builds[] = {"-O1 -g -pthread -fsanitize=address", "-O0 -g -pthread -fsanitize=address",
				     "-O2 -g -pthread -fsanitize=address -static-libasan"};
#define N_BUILDS e2e_rows(1, sizeof(builds) / sizeof(*builds))

static void campaign(struct e2e *e2e, const char *flags, const char *more)
{
	char all[256], *program;

	snprintf(all, sizeof(all), "%s%s", flags, more);
	program = e2e_program(e2e, "sanitized.c", all);
	e2e_run(e2e, WORDS(e2e_full() ? "--runs=20" : "--runs=5", "--explore=5", "--timeout=60", program));
	free(program);
}

/* The first line of what the sanitizer said about the failure of the first pair. */
static const char *said(const struct e2e *e2e)
{
	json_t *failure = json_object_get(e2e_item(e2e, "pairs", 0), "failure");
	const char *line = json_string_value(json_array_get(json_object_get(failure, "said"), 0));

	return line ? line : "";
}

static const char *verdict(const struct e2e *e2e, size_t i)
{
	const char *text = json_string_value(json_object_get(e2e_item(e2e, "pairs", i), "verdict"));

	return text ? text : "";
}

Test(sanitizer, sees_a_created_race_with_free)
{
	for (size_t i = 0; i < N_BUILDS; i++) {
		struct e2e e2e;

		e2e_begin(&e2e);
		campaign(&e2e, builds[i], "");
		e2e_expect_status(&e2e, 1);
		e2e_expect(&e2e, e2e_count(&e2e, "pairs") == 1, "%s: %zu pairs", builds[i], e2e_count(&e2e, "pairs"));
		e2e_expect(&e2e, strcmp(verdict(&e2e, 0), "harmful") == 0, "%s: %s", builds[i], verdict(&e2e, 0));
		e2e_expect(&e2e, strstr(said(&e2e), "heap-use-after-free"), "%s: said '%s'", builds[i], said(&e2e));
		e2e_end(&e2e);
	}
}

Test(sanitizer, is_silent_for_the_fixed_program)
{
	static const char *const others[] = {"-O1 -g -pthread -fsanitize=leak", "-O1 -g -pthread -fsanitize=thread",
					     "-O1 -g -pthread -fsanitize=undefined"};
	struct e2e e2e;

	for (size_t i = 0; i < N_BUILDS + sizeof(others) / sizeof(*others); i++) {
		size_t n = N_BUILDS;

		e2e_begin(&e2e);
		campaign(&e2e, i < n ? builds[i] : others[i - n], " -DFIXED");
		e2e_expect_silent(&e2e);
		e2e_expect(&e2e, e2e_count(&e2e, "pairs") == 0, "%zu: %zu pairs", i, e2e_count(&e2e, "pairs"));
		e2e_end(&e2e);
	}
}

/* The sanitizer checks once, before an instruction that both reads and writes. */
Test(sanitizer, has_instructions_that_read_and_write)
{
	for (int fixed = 0; fixed < 2; fixed++) {
		struct e2e e2e;
		char *program;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "sanitized_sum.c",
				      fixed ? "-O1 -g -pthread -fsanitize=address -DFIXED"
					    : "-O1 -g -pthread -fsanitize=address");
		e2e_run(&e2e, WORDS(e2e_full() ? "--runs=20" : "--runs=5", "--explore=5", "--timeout=60", program));
		free(program);
		if (fixed)
			e2e_expect_silent(&e2e);
		else
			e2e_expect(&e2e, strcmp(verdict(&e2e, 0), "harmful") == 0, "%s", verdict(&e2e, 0));
		e2e_end(&e2e);
	}
}

/* LeakSanitizer would trace the program itself. The user is told that leaks are not searched. */
Test(sanitizer, does_not_search_for_leaks)
{
	static const char *const flags[] = {"-O1 -g -pthread -fsanitize=leak", "-O1 -g -pthread -fsanitize=address",
					    "-O1 -g -pthread -fsanitize=address -static-libasan"};

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		struct e2e e2e;
		char *program;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "sanitized.c", flags[i]);
		e2e_run(&e2e, WORDS("--policy=random", "--runs=2", "--timeout=60", "--keep-records", program, "leak"));
		e2e_expect_status(&e2e, 4); /* it has one thread */
		e2e_expect(&e2e, strstr(e2e.said.out, "note        LeakSanitizer"), "%s", e2e.said.out);
		e2e_say(&e2e, WORDS("--verify=2", program, "leak"));
		e2e_expect_status(&e2e, 0);
		free(program);
		e2e_end(&e2e);
	}
}

/* Without the environment the search begins. It fails, and the report says why, but nothing hangs. */
Test(sanitizer, is_told_that_its_tracer_is_refused)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "sanitized.c", "-O1 -g -pthread -fsanitize=leak");
	e2e_run(&e2e, WORDS("--policy=random", "--runs=2", "--timeout=60", program, "clear"));
	e2e_expect(&e2e, e2e_stat(&e2e, "stops") > 0, "%s%s", e2e.said.out, e2e.said.err);
	e2e_expect(&e2e, !strstr(e2e.said.out, "timed out"), "%s", e2e.said.out);
	e2e_expect(&e2e, strstr(e2e.said.out, "note        the program called clone(2)"), "%s", e2e.said.out);
	free(program);
	e2e_end(&e2e);
}
