/* ci_test.c - the commands in docs/CI.md, executed as they are there: each build system must name the test that fails.
 */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/e2e/harness.h"

TestSuite(ci, .timeout = 300);

/* The first block of commands below a heading of the page. Caller frees. */
static char *commands_of(const char *heading)
{
	char *page = e2e_text("docs/CI.md"), *begin, *end, *commands;

	cr_assert_not_null(page);
	begin = strstr(page, heading);
	cr_assert_not_null(begin, "no %s in docs/CI.md", heading);
	begin = strstr(begin, "\n```\n") + strlen("\n```\n");
	end = strstr(begin, "\n```\n");
	commands = strndup(begin, (size_t)(end - begin));
	free(page);
	return commands;
}

/*
 * Executes the commands below the heading in a copy of docs/, in this subfolder. They must fail, and their output must
 * match each of the patterns, which grep -E reads.
 */
static void expect_failing_test(const char *heading, const char *subfolder, const char *const *patterns)
{
	char *commands = commands_of(heading), line[4 * PATH_MAX];
	struct e2e e2e;
	int status;

	e2e_begin(&e2e);
	snprintf(line, sizeof(line),
		 "mkdir '%s/docs' && cp -rL docs/ci '%s/docs/' && PATH=$(dirname \"$RFSUP\"):$PATH && cd '%s/%s' && { "
		 "%s\n} "
		 ">'%s/said' 2>&1",
		 e2e.folder, e2e.folder, e2e.folder, subfolder, commands, e2e.folder);
	status = system(line); // NOLINT(cert-env33-c): no foreign input
	e2e_expect(&e2e, WIFEXITED(status) && WEXITSTATUS(status), "the test did not fail: %s", commands);
	for (; *patterns; patterns++) {
		snprintf(line, sizeof(line), "grep -qE '%s' '%s/said'", *patterns, e2e.folder);
		status = system(line); // NOLINT(cert-env33-c): no foreign input
		e2e_expect(&e2e, !status, "no line '%s' in %s/said", *patterns, e2e.folder);
	}
	free(commands);
	e2e_end(&e2e);
}

Test(ci, cmake)
{
	expect_failing_test("## CMake", ".",
			    WORDS("broken \\.+.*Failed", "counter \\.+.*Failed", "counter_fixed .*Passed",
				  "single .*Passed", "the counter is 1 after two increments",
				  "Counter.TwoIncrements \\.+.*Failed", "Counter.StartsAtZero .*Passed"));
}

/* rfsup_add_test() of the installed package: it finds rfsup beside it, and the test that fails is named. */
Test(ci, package_of_cmake)
{
	struct e2e e2e;
	char command[4 * PATH_MAX], *package = realpath("cmake/rfsup-config.cmake", NULL),
				    *docs = realpath("docs/ci", NULL);

	e2e_begin(&e2e);
	snprintf(command, sizeof(command),
		 "mkdir -p i/bin i/lib/cmake/rfsup s && cp \"$RFSUP\" i/bin/ && cp '%s' i/lib/cmake/rfsup/ && cp "
		 "'%s/counter.c' s/ && "
		 "printf '%%s\\n' 'cmake_minimum_required(VERSION 3.18)' 'project(p C)' 'enable_testing()' "
		 "'find_package(rfsup REQUIRED)' 'find_package(Threads REQUIRED)' 'add_executable(counter counter.c)' "
		 "'target_link_libraries(counter Threads::Threads)' "
		 "'rfsup_add_test(NAME bad COMMAND counter BUDGET 20s OPTIONS --runs=5 --explore=7)' "
		 "'rfsup_add_test(NAME good COMMAND /bin/true x)' >s/CMakeLists.txt && "
		 "cmake -S s -B b -DCMAKE_PREFIX_PATH=$PWD/i >said && cmake --build b >>said; "
		 "ctest --test-dir b >>said; grep -q 'bad .*Failed' said && grep -q 'good .*Passed' said || { cat "
		 "said; false; } >&2",
		 package, docs);
	e2e_expect_command(&e2e, command);
	free(package);
	free(docs);
	e2e_end(&e2e);
}

Test(ci, suite)
{
	if (!e2e_full())
		cr_skip_test("in the full check; suite_test.c has suites");
	expect_failing_test("## All tests at once", ".",
			    WORDS("^FOUND +counter: ", "^FAILED +broken: ", "^FOUND +Counter.TwoIncrements: ",
				  "^::error .*title=rfsup: ", "^6 tests, 2 FOUND, 1 FAILED, 1 ok, 2 without threads"));
}

/* Clients have their own time. On a busy machine, the failure may be reported apart from its race. */
Test(ci, server)
{
	if (!e2e_full())
		cr_skip_test("in the full check; drive_test.c has servers");
	expect_failing_test("## Servers", "docs/ci/server",
			    WORDS("race on visits", "^result +1 ", "1 visits counted, 2 clients"));
}

Test(ci, meson)
{
	if (!e2e_full())
		cr_skip_test("in the full check");
	expect_failing_test("## Meson", ".",
			    WORDS("broken +FAIL .*exit status 9", "counter +FAIL", "counter_fixed +OK", "single +OK"));
}

Test(ci, autotools)
{
	if (!e2e_full())
		cr_skip_test("in the full check");
	expect_failing_test("## Autotools", "docs/ci/autotools",
			    WORDS("^FAIL: broken$", "^FAIL: counter$", "^PASS: counter_fixed$", "^PASS: single$"));
}

/* Executes a job in the example of CMake, with short campaigns. words: of run_ci.py. The job must fail. */
static void run_job(struct e2e *e2e, const char *words)
{
	char command[5 * PATH_MAX], *docs = realpath("docs/ci", NULL), *root = realpath(".", NULL);

	snprintf(command, sizeof(command),
		 "mkdir docs && cp -rL '%s' docs/ && cd docs/ci/cmake && PATH=$(dirname \"$RFSUP\"):$PATH && export "
		 "ROOT='%s' && "
		 "{ /usr/bin/python3 \"$ROOT/tests/e2e/programs/run_ci.py\" %s >said 2>&1; test $? = 1; } && "
		 "grep -q '^FOUND  *counter: ' said && grep -q '^FAILED  *broken: ' said && "
		 "grep -q '^6 tests, 2 FOUND, 1 FAILED, 1 ok, 2 without threads$' said && test -s rfsup.out/index.html "
		 "&& "
		 "xmllint --xpath '//testcase[@name = \"broken\"]/failure' rfsup.xml || { cat said; false; } >&2",
		 docs, root, words);
	e2e_expect_command(e2e, command);
	free(docs);
	free(root);
}

Test(ci, action_of_github)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	run_job(&e2e, "github ../github.yml \"$ROOT\" 'options=--runs 5 --explore 7'");
	e2e_expect_command(&e2e,
			   "cd docs/ci/cmake && grep -q '^::error .*title=rfsup: atomicity-violation::' said && "
			   "grep -q '^::error title=rfsup: FAILED::broken: ' said && "
			   "grep -q '^| broken | FAILED | ' GITHUB_STEP_SUMMARY && "
			   "test $(grep -c '^| atomicity-violation | ' GITHUB_STEP_SUMMARY) = 2 && "
			   "grep -q '^not executed: .*upload-sarif' said && jq -e '.runs | length == 1' rfsup.sarif");
	e2e_end(&e2e);
}

Test(ci, template_of_gitlab)
{
	struct e2e e2e;

	if (!e2e_full())
		cr_skip_test("in the full check; the action of GitHub has the same suite");
	e2e_begin(&e2e);
	run_job(&e2e, "gitlab ../gitlab.yml schedules 'RFSUP_OPTIONS=--runs 5 --explore 7'");
	e2e_end(&e2e);
}

Test(ci, cargo, .timeout = 900)
{
	if (!e2e_full())
		cr_skip_test("in the full check, which installs cargo");
	expect_failing_test("## Cargo", "docs/ci/cargo",
			    WORDS("FAILURE: status 101", "first in phase", "`--lib`$", "`--test broken`$",
				  "error: 2 targets failed"));
}
