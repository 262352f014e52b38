/*
 * stripped_test.c - a static program without symbols: no loader, no visible library calls, no names, no lines. Its
 * locks are seen at the futex layer. Findings are offsets, which are the same as in the program before it was stripped.
 */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/answers.h"
#include "tests/e2e/harness.h"

TestSuite(stripped, .timeout = 900);

/* Runs a campaign on a stripped copy of the target. *whole: the path of the target; caller frees. */
static void run_stripped(struct e2e *e2e, const char *name, char **whole)
{
	char command[3 * PATH_MAX], program[PATH_MAX];

	e2e_begin(e2e);
	*whole = e2e_target("O2g", name);
	snprintf(program, sizeof(program), "%s/%s", e2e->folder, name);
	snprintf(command, sizeof(command), "strip --strip-all -o %s %s && ! nm %s 2>&1 | grep -q ' T '", program,
		 *whole, program);
	cr_assert_eq(system(command), 0, "%s", command); // NOLINT(cert-env33-c): no foreign input
	e2e_run(e2e, WORDS("--explore=20", e2e_full() ? "--runs=100" : "--runs=20", program));
	cr_assert(e2e->report, "%s", e2e->said.err);
}

/* The source line of a statement, looked up in the program with symbols. */
static unsigned line_of(const char *whole, const json_t *statement)
{
	char command[PATH_MAX + 64], text[PATH_MAX] = "";
	const char *colon;
	FILE *lines;

	snprintf(command, sizeof(command), "addr2line -e %s 0x%llx", whole,
		 (unsigned long long)json_integer_value(json_object_get(statement, "offset")));
	lines = popen(command, "r"); // NOLINT(cert-env33-c): no foreign input
	cr_assert_not_null(lines);
	cr_assert_not_null(fgets(text, sizeof(text), lines), "%s", command);
	cr_assert_eq(pclose(lines), 0, "%s", command);
	colon = strrchr(text, ':');
	return colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
}

static bool is_real(const json_t *pair)
{
	const char *verdict = json_string_value(json_object_get(pair, "verdict"));

	return verdict && (strcmp(verdict, "real") == 0 || strcmp(verdict, "harmful") == 0);
}

Test(stripped, a_static_program_is_judged_as_ever)
{
	struct answer_mark mark;
	struct e2e e2e;
	size_t found = 0;
	char *whole;

	answers_mark("static_prog", "increment", &mark);
	run_stripped(&e2e, "static_prog", &whole);
	e2e_expect_status(&e2e, 1);
	for (size_t i = 0; i < e2e_count(&e2e, "pairs"); i++) {
		const json_t *pair = e2e_item(&e2e, "pairs", i);
		const json_t *statements = json_object_get(pair, "statements");

		for (size_t k = 0; k < 2 && is_real(pair); k++) {
			unsigned line = line_of(whole, json_array_get(statements, k));

			e2e_expect(&e2e, line == mark.lines[0], "line %u\n%s", line, e2e.said.out);
		}
		found += strcmp(json_string_value(json_object_get(pair, "verdict")), "harmful") == 0;
	}
	e2e_expect(&e2e, found == 1, "%zu harmful pairs\n%s", found, e2e.said.out);
	e2e_end(&e2e);
	free(whole);
}

Test(stripped, its_twin_is_silent)
{
	struct e2e e2e;
	char *whole;

	run_stripped(&e2e, "static_prog_fixed", &whole);
	e2e_expect_status(&e2e, 0);
	for (size_t i = 0; i < e2e_count(&e2e, "pairs"); i++)
		e2e_expect(&e2e, !is_real(e2e_item(&e2e, "pairs", i)), "pair %zu\n%s", i + 1, e2e.said.out);
	e2e_expect(&e2e, e2e_count(&e2e, "deadlocks") == 0 && e2e_count(&e2e, "failures") == 0, "%s", e2e.said.out);
	e2e_expect(&e2e, e2e_stat(&e2e, "accesses") > 0 && e2e_stat(&e2e, "threads") > 1, "nothing was seen");
	e2e_end(&e2e);
	free(whole);
}
