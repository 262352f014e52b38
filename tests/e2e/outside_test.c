/* --stats has a line for each kind of outside input that a run took, and none for what it did not take. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(outside, .timeout = 600);

static const char *const keys[] = {"outside_network", "outside_terminal", "outside_processes", "outside_shared_memory",
				   "outside_files",   "outside_clock",	  "outside_devices",   "outside_addresses"};

#define RUNS 3

/* The one kind (NULL: none) that `runs` runs took. */
static void expect_kind(struct e2e *e2e, const char *key, int runs)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		double wanted = key && strcmp(keys[i], key) == 0 ? runs : -1;

		e2e_expect(e2e, e2e_stat(e2e, keys[i]) == wanted, "%s: %g, not %g", keys[i], e2e_stat(e2e, keys[i]),
			   wanted);
	}
}

Test(outside, is_told_by_kind)
{
	static const struct {
		const char *what, *setup, *key;
		int runs;
	} cases[] = {
		{"file", "--setup=true", NULL, 0},
		{"file", "--setup=date +%N >data", "outside_files", RUNS - 1},
		{"memory", "--setup=true", "outside_shared_memory", RUNS},
		{"child", "--setup=true", "outside_processes", RUNS},
		{"oneself", "--setup=true", NULL, 0},
		{"kernel", "--setup=true", "outside_network", RUNS},
		{"rights", "--setup=true", NULL, 0},
	};
	struct e2e e2e;
	char *program, path[4096];
	FILE *file;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "inputs.c", "-O2 -g");
	snprintf(path, sizeof(path), "%s/data", e2e.folder);
	file = fopen(path, "w");
	cr_assert_not_null(file);
	fputs("data\n", file);
	fclose(file);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		e2e_run(&e2e, WORDS("--policy=random", "--runs=3", cases[i].setup, program, cases[i].what, "data"));
		e2e_expect_silent(&e2e);
		expect_kind(&e2e, cases[i].key, cases[i].runs);
	}
	free(program);
	e2e_end(&e2e);
}

/* What cannot be recorded is refused by its name, where it is to be recorded. */
Test(outside, what_cannot_be_recorded_is_refused)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "inputs.c", "-O2 -g");
	e2e_run(&e2e, WORDS("--clock=real", "--policy=random", "--runs=1", program, "rights"));
	e2e_expect_status(&e2e, 3);
	e2e_expect(&e2e, strstr(e2e.said.out, "recvmsg(2) of a descriptor (SCM_RIGHTS) cannot be recorded"), "%s",
		   e2e.said.out);
	free(program);
	e2e_end(&e2e);
}
