/*
 * calls_test.c - programs that check the results of system calls find the same under control as without: ids, timeouts,
 * signals, processes, memory, files and synchronisation between processes. Each case is one of the subjects that tests
 * of record-and-replay tools have.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"
#include "tests/foreign.h"

TestSuite(calls, .timeout = 900);

#define NAME_MAX_BYTES 64

struct program {
	char name[NAME_MAX_BYTES];
};

/* Whether nothing is incomplete in the report, except that some programs have one thread only. */
static bool is_complete(const struct e2e *e2e)
{
	const size_t n = e2e_count(e2e, "incomplete");

	for (size_t i = 0; i < n; i++)
		if (!strstr(json_string_value(e2e_item(e2e, "incomplete", i)), "never had a second thread"))
			return false;
	return e2e->report != NULL;
}

static void check_case(struct e2e *e2e, const char *program, const char *name, const char *argument)
{
	e2e_run(e2e, WORDS("--policy=random", e2e_full() ? "--runs=3" : "--runs=1", "--timeout=60", program, name,
			   argument));
	e2e_expect(e2e, (e2e->said.status == 0 || e2e->said.status == 4) && is_complete(e2e), "%s: %s%s", name,
		   e2e->said.out, e2e->said.err);
	e2e_expect(e2e, !strstr(e2e->said.out, "child processes were at work"), "%s: %s", name, e2e->said.out);
}

ParameterizedTestParameters(calls, are_as_without_rfsup)
{
	static struct program programs[] = {{"ids.c"},	  {"timeouts.c"}, {"signals.c"}, {"processes.c"},
					    {"memory.c"}, {"files.c"},	  {"sync.c"}};

	return cr_make_param_array(struct program, programs, sizeof(programs) / sizeof(*programs));
}

ParameterizedTest(const struct program *source, calls, are_as_without_rfsup)
{
	char command[4096], name[NAME_MAX_BYTES], *program;
	struct e2e e2e;
	FILE *cases;
	size_t n = 0;

	e2e_begin(&e2e);
	program = e2e_program_at(&e2e, "calls/", source->name, "-O2 -g -w -pthread -lutil");
	snprintf(command, sizeof(command), "%s", program);
	cases = popen(command, "r");
	while (cases && fgets(name, sizeof(name), cases)) {
		name[strcspn(name, "\n")] = '\0';
		check_case(&e2e, program, name, NULL);
		n++;
	}
	if (cases)
		pclose(cases);
	e2e_expect(&e2e, n > 10, "%s has %zu cases only", source->name, n);
	free(program);
	e2e_end(&e2e);
}

/* A 32-bit child runs as without rfsup, and the report says that its calls are not translated. */
Test(calls, a_32_bit_child_runs_with_a_note)
{
	char *program, *child;
	struct e2e e2e;

	if (!runs_foreign_calls())
		cr_skip_test("this kernel has no system calls of 32-bit programs");
	e2e_begin(&e2e);
	child = e2e_program_at(&e2e, "calls/", "exit32.c",
			       "-m32 -O1 -nostdlib -static -fno-pic -no-pie -fno-stack-protector");
	program = e2e_program_at(&e2e, "calls/", "processes.c", "-O2 -g -w -pthread");
	check_case(&e2e, program, "program_32_bit", child);
	e2e_expect(&e2e, strstr(e2e.said.out, "32-bit"), "no note: %s%s", e2e.said.out, e2e.said.err);
	free(program);
	free(child);
	e2e_end(&e2e);
}
