/*
 * environment_test.c - problems that only show after a process has started, or that do not end a campaign: refused
 * ptrace, a full disk, damaged debug information, a script, a statement that fits several files. In all cases, no
 * process remains.
 */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/e2e/harness.h"

TestSuite(environment, .timeout = 300);

static void expect_said(struct e2e *e2e, const char *text)
{
	e2e_expect(e2e, strstr(e2e->said.err, text) != NULL, "it does not say '%s': %s", text, e2e->said.err);
	e2e_expect(e2e, spawn_running("cwd", e2e->folder) == 0, "something is left running");
}

Test(environment, refused_ptrace_is_explained)
{
	char *program = e2e_target("O2g", "figure1");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_confine(&e2e, "-DREFUSED=SYS_ptrace");
	e2e_run(&e2e, WORDS("--runs=3", "--explore=3", program));
	e2e_expect_status(&e2e, 2);
	expect_said(&e2e, "ptrace is refused: a container needs --cap-add=SYS_PTRACE");
	e2e_end(&e2e);
	free(program);
}

/*
 * With a limit of 512 bytes for each file, pairs can be written, but a record cannot. No file may be left half written.
 */
Test(environment, a_full_disk_is_said)
{
	char *program = e2e_target("O2g", "figure1"), command[PATH_MAX + 64];
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_confine(&e2e, "");
	e2e_run(&e2e, WORDS("--runs=3", "--explore=3", program));
	e2e_expect_status(&e2e, 2);
	expect_said(&e2e, "cannot write the journal: File too large");
	snprintf(command, sizeof(command), "test -z \"$(find %s -name '*.tmp')\"", e2e.folder);
	e2e_expect(&e2e, system(command) == 0, "a file is half written"); // NOLINT(cert-env33-c): no foreign input
	e2e_end(&e2e);
	free(program);
}

/* The race is still found, but without source lines. */
Test(environment, damaged_debug_information_costs_the_lines_only)
{
	char *program = e2e_target("O2g", "lost_update"), command[5 * PATH_MAX], bad[PATH_MAX];
	const json_t *statement;
	struct e2e e2e;

	e2e_begin(&e2e);
	snprintf(bad, sizeof(bad), "%s/lost_update", e2e.folder);
	snprintf(command, sizeof(command),
		 "yes damaged | head -c 3000 >%s.section && objcopy --update-section .debug_info=%s.section %s %s", bad,
		 bad, program, bad);
	cr_assert_eq(system(command), 0, "%s", command); // NOLINT(cert-env33-c): no foreign input
	e2e_run(&e2e, WORDS("--runs=10", "--explore=3", bad));
	e2e_expect_status(&e2e, 1);
	expect_said(&e2e, "damaged");
	e2e_expect(&e2e, e2e_count(&e2e, "pairs") > 0, "no pair");
	statement = json_array_get(json_object_get(e2e_item(&e2e, "pairs", 0), "statements"), 0);
	e2e_expect(&e2e, json_object_get(statement, "offset") && !json_object_get(statement, "line"), "%s",
		   e2e.said.out);
	e2e_end(&e2e);
	free(program);
}

Test(environment, the_interpreter_of_a_script_is_announced)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	spawn_file(e2e.folder, "script", "#!/bin/sh\nexit 0\n", 17, 0755);
	e2e_run(&e2e, WORDS("--explore=3", "./script"));
	e2e_expect_status(&e2e, 4); /* incomplete: only the shell's one thread was seen */
	expect_said(&e2e, "script' is a script; running its interpreter '/bin/sh'");
	e2e_end(&e2e);
}

/*
 * The last stop of bash before the exec is at a system call, where no call can be injected. The new program must not
 * inherit that state: it needs the gate page (tracer/trampoline.h), because it uses condition variables.
 */
Test(environment, a_program_that_bash_executes_is_controlled)
{
	char *program = e2e_target("O2g", "cond_ordered"), command[PATH_MAX + 16];
	struct e2e e2e;

	e2e_begin(&e2e);
	snprintf(command, sizeof(command), "exec %s", program);
	e2e_run(&e2e, WORDS("--policy=random", "--runs=10", "--stats", "bash", "-c", command));
	e2e_expect_status(&e2e, 0);
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, e2e_stat(&e2e, "threads") > 1, "%g threads", e2e_stat(&e2e, "threads"));
	e2e_end(&e2e);
	free(program);
}

/* The record has it, so a replay needs no option. */
Test(environment, a_variable_is_set_for_the_program_only)
{
	char *program = e2e_target("O2g", "cond_ordered"), command[PATH_MAX + 64];
	static const char test[] = "test \"$RFSUP_TEST\" = 'a b'";
	struct e2e e2e;

	e2e_begin(&e2e);
	snprintf(command, sizeof(command), "%s && exec %s", test, program);
	e2e_run(&e2e, WORDS("--env=RFSUP_TEST=other", "--env", "RFSUP_TEST=a b", "--setup", test, "--policy=random",
			    "--runs=2", "--keep-records", "--stats", "bash", "-c", command));
	e2e_expect_status(&e2e, 0);
	e2e_expect(&e2e, e2e_stat(&e2e, "threads") > 1, "%g threads", e2e_stat(&e2e, "threads"));
	e2e_say(&e2e, WORDS("--replay", "out/records/sample-seed-1.json"));
	e2e_expect_status(&e2e, 0);
	expect_said(&e2e, "same as the recorded run");
	e2e_end(&e2e);
	free(program);
}

Test(environment, a_statement_of_several_files_is_refused)
{
	static const char first[] = "int x;\nvoid set(void);\nvoid set(void)\n{\n\tx = 1;\n}\n";
	static const char second[] =
		"extern int x;\nvoid set(void);\nint main(void)\n{\n\tset();\n\treturn x - 1;\n}\n";
	char command[4 * PATH_MAX];
	struct e2e e2e;

	e2e_begin(&e2e);
	snprintf(command, sizeof(command), "mkdir %s/a %s/b", e2e.folder, e2e.folder);
	cr_assert_eq(system(command), 0); // NOLINT(cert-env33-c): no foreign input
	spawn_file(e2e.folder, "a/same.c", first, sizeof(first) - 1, 0644);
	spawn_file(e2e.folder, "b/same.c", second, sizeof(second) - 1, 0644);
	snprintf(command, sizeof(command), "cd %s && gcc -g -o both a/same.c b/same.c", e2e.folder);
	cr_assert_eq(system(command), 0); // NOLINT(cert-env33-c): no foreign input
	spawn_file(e2e.folder, "pairs", "same.c:5 same.c:6\n", 18, 0644);
	e2e_run(&e2e, WORDS("--pairs=pairs", "./both"));
	e2e_expect_status(&e2e, 2);
	expect_said(&e2e, "a/same.c");
	expect_said(&e2e, "b/same.c");
	expect_said(&e2e, "write more of the path");
	e2e_end(&e2e);
}

/* In new namespaces /proc may be missing, or show other processes. That needs root; without it nothing is tested. */
Test(environment, a_proc_that_does_not_fit)
{
	static const struct {
		const char *where, *why;
	} cases[] = {
#ifndef __SANITIZE_ADDRESS__ /* which needs /proc itself, and fails */
		{"unshare --mount sh -c 'umount -l /proc && exec \"$0\" /bin/true'", "/proc is not mounted"},
#endif
		{"unshare --pid --fork sh -c 'exec \"$0\" /bin/true'", "/proc shows the processes of another"},
	};
	const char *given = getenv("RFSUP");
	char binary[PATH_MAX];

	cr_assert_not_null(realpath(given ? given : RFS_BUILD "/rfsup", binary));
	if (system("unshare --mount --pid --fork true 2>/dev/null") != 0) // NOLINT(cert-env33-c): no foreign input
		return;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char command[PATH_MAX + 256], line[512] = "";
		FILE *said;

		snprintf(command, sizeof(command), "%s %s 2>&1", cases[i].where, binary);
		said = popen(command, "r"); // NOLINT(cert-env33-c): no foreign input
		cr_assert(said && fgets(line, sizeof(line), said), "%s", command);
		cr_expect_null(fgets(command, sizeof(command), said), "more than one line: %s", command);
		cr_expect_eq(WEXITSTATUS(pclose(said)), 2);
		cr_expect_not_null(strstr(line, cases[i].why), "%s", line);
	}
}

/* Whoever kills the program from outside, that says nothing about the program. */
Test(environment, a_program_that_is_killed_from_outside)
{
	char *program, name[32], path[PATH_MAX], drive[256];
	struct e2e e2e;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "control.c", "-O2 -g");
	snprintf(name, sizeof(name), "killed-%d", (int)getpid());
	snprintf(path, sizeof(path), "%s/%s", e2e.folder, name);
	cr_assert_eq(rename(program, path), 0);
	snprintf(drive, sizeof(drive),
		 "--drive=until test -e ready; do sleep 0.05; done; rm ready; "
		 "until kill -KILL $(pgrep -x %s) 2>/dev/null; do sleep 0.05; done",
		 name);
	e2e_run(&e2e, WORDS("--policy=random", "--runs=1", "--timeout=100", drive, path, "forever"));
	e2e_expect_status(&e2e, 3);
	e2e_expect(&e2e, strstr(e2e.said.out, "killed from outside"), "%s", e2e.said.out);
	e2e_expect(&e2e, !strstr(e2e.said.out, "deterministic"), "%s", e2e.said.out);
	e2e_expect(&e2e, e2e_count(&e2e, "failures") == 0, "%s", e2e.said.out);
	free(program);
	e2e_end(&e2e);
}
