/*
 * processes_test.c - a program with one thread forks a process that has several: that process is controlled, and its
 * findings are created, judged and replayed exactly. In the fixed twins, nothing is found. With --processes=first, the
 * process is not controlled. If processes share memory, or several of them have threads, all of them are controlled.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(processes, .timeout = 900);

struct target {
	char name[40];
	char says[2][64];
};

ParameterizedTestParameters(processes, in_a_forked_process)
{
	static struct target targets[] = {
		{"fork_grandchild", {"DEADLOCK of 2 threads", "process 2.2 that the program forks"}},
		/* the short check ends here */
		{"fork_suspended", {"HARMFUL race on hits", "process 1 that the program forks"}},
		{"fork_daemon", {"HARMFUL race on next", "process 1 that the program forks"}},
		{"fork_twice", {"HARMFUL race on config", "process 1.1 that the program forks"}},
		{"fork_result", {"HARMFUL race on sum", "process 1 that the program forks"}},
		{"fork_exec_self", {"HARMFUL race on hits", "process 1 that the program forks"}},
	};

	return cr_make_param_array(struct target, targets, e2e_rows(1, sizeof(targets) / sizeof(*targets)));
}

ParameterizedTest(struct target *target, processes, in_a_forked_process)
{
	char *program = e2e_target("O2g", target->name);
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=8", "--explore=8", program));
	e2e_expect_status(&e2e, 1);
	for (int i = 0; i < 2; i++)
		e2e_expect(&e2e, strstr(e2e.said.out, target->says[i]), "no '%s'\n%s", target->says[i], e2e.said.out);
	e2e_expect(&e2e, json_object_get(e2e.report, "controlled_process"), "%s", e2e.said.out);
	e2e_expect(&e2e, e2e_stat(&e2e, "threaded_children") == 0, "%s", e2e.said.err);
	free(e2e_expect_failing_replay(&e2e));
	e2e_end(&e2e);
	free(program);
}

struct control {
	char name[40];
};

ParameterizedTestParameters(processes, nothing_is_found)
{
	static struct control controls[] = {{"fork_suspended_fixed"},
					    /* the short check ends here */
					    {"fork_daemon_fixed"},
					    {"fork_twice_fixed"},
					    {"fork_result_fixed"},
					    {"fork_grandchild_fixed"},
					    {"fork_exec_self_fixed"}};

	return cr_make_param_array(struct control, controls, e2e_rows(1, sizeof(controls) / sizeof(*controls)));
}

ParameterizedTest(struct control *control, processes, nothing_is_found)
{
	char *program = e2e_target("O2g", control->name);
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=8", "--explore=8", program));
	e2e_expect_status(&e2e, 0);
	e2e_expect(&e2e, json_object_get(e2e.report, "controlled_process"), "%s", e2e.said.out);
	e2e_end(&e2e);
	free(program);
}

struct family {
	char name[40];
	char says[2][64];
};

ParameterizedTestParameters(processes, all_of_them)
{
	static struct family families[] = {
		{"fork_across", {"HARMFUL race on", " of process 2 "}},
		/* the short check ends here */
		{"fork_shared", {"HARMFUL race on", " of process 1 "}},
		{"fork_workers", {"HARMFUL race on hits", " of process 2 "}},
		{"fork_stuck", {"DEADLOCK of 2 threads", " of process 2 "}},
	};

	return cr_make_param_array(struct family, families, e2e_rows(1, sizeof(families) / sizeof(*families)));
}

/* Processes that share memory or have threads are scheduled together. */
ParameterizedTest(struct family *family, processes, all_of_them)
{
	char fixed_name[64], *program = e2e_target("O2g", family->name), *fixed;
	struct e2e e2e;

	snprintf(fixed_name, sizeof(fixed_name), "%s_fixed", family->name);
	fixed = e2e_target("O2g", fixed_name);
	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=8", "--explore=8", program));
	e2e_expect_status(&e2e, 1);
	for (int i = 0; i < 2; i++)
		e2e_expect(&e2e, strstr(e2e.said.out, family->says[i]), "no '%s'\n%s", family->says[i], e2e.said.out);
	e2e_expect(&e2e, strstr(e2e.said.out, "processes that the program forks"), "%s", e2e.said.out);
	e2e_expect(&e2e, json_is_true(json_object_get(e2e.report, "controlled_forks")), "%s", e2e.said.out);
	e2e_expect(&e2e, e2e_stat(&e2e, "threaded_children") == 0, "%s", e2e.said.err);
	free(e2e_expect_failing_replay(&e2e));
	e2e_run(&e2e, WORDS("--runs=8", "--explore=8", fixed));
	e2e_expect_status(&e2e, 0);
	e2e_expect(&e2e, json_is_true(json_object_get(e2e.report, "controlled_forks")), "%s", e2e.said.out);
	e2e_end(&e2e);
	free(program);
	free(fixed);
}

Test(processes, only_the_first)
{
	char *program = e2e_target("O2g", "fork_suspended");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--processes=first", "--policy=random", "--runs=2", program));
	e2e_expect(&e2e, !json_object_get(e2e.report, "controlled_process"), "%s", e2e.said.out);
	e2e_expect(&e2e, e2e_stat(&e2e, "threaded_children") == 1, "%s", e2e.said.err);
	e2e_end(&e2e);
	free(program);
}
