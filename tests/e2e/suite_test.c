/* suite_test.c - rfsup --suite: all tests of a build, with a ctest(1) that prints a list which the test has written. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(suite, .timeout = 300);

/* A row of the list: the argument of the program, which is also the name of the test, and its properties as JSON. */
struct row {
	const char *name, *properties;
};

/* Makes the build folder "b", and a command ctest in "bin". */
static void make_build(struct e2e *e2e, const struct row *rows, size_t n)
{
	char *program = e2e_program(e2e, "suite_tests.c", "-g -O0 -pthread"), path[PATH_MAX];
	FILE *out;

	e2e_expect_command(e2e, "mkdir b bin f && touch b/CTestTestfile.cmake f/folder_mark && "
				"printf '#!/bin/sh\\ncat list.json\\n' >bin/ctest && chmod +x bin/ctest");
	snprintf(path, sizeof(path), "%s/b/list.json", e2e->folder);
	out = fopen(path, "we");
	cr_assert_not_null(out);
	fputs("{\"kind\":\"ctestInfo\",\"tests\":[", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s{\"name\":\"%s\",\"command\":[\"%s\",\"%s\"],\"properties\":[%s]}", i ? "," : "",
			rows[i].name, program, rows[i].name, rows[i].properties);
	fputs("],\"version\":{\"major\":1,\"minor\":0}}", out);
	fclose(out);
	free(program);
}

/* Runs rfsup --suite b with these words, and expects this exit status. Its output is in the files `said` and `errors`.
 */
static void expect_suite(struct e2e *e2e, const char *words, int status)
{
	char line[1024];

	snprintf(line, sizeof(line),
		 "PATH=$PWD/bin:$PATH \"$RFSUP\" --suite b %s >said 2>errors; got=$?; test $got = %d || "
		 "{ echo \"status $got\"; cat said errors; false; } >&2",
		 words, status);
	e2e_expect_command(e2e, line);
}

static void expect_said(struct e2e *e2e, const char *pattern)
{
	char line[1024];

	snprintf(line, sizeof(line), "grep -q '%s' said errors || { cat said errors; false; } >&2", pattern);
	e2e_expect_command(e2e, line);
}

/* Readers that are not ours take the files, and report.json has the published form. */
static void expect_readable(struct e2e *e2e)
{
	char *reader = realpath("tests/e2e/programs/read_reports.py", NULL);
	char *schema = realpath("docs/report.schema.json", NULL), command[3 * PATH_MAX];

	cr_assert(reader && schema);
	snprintf(command, sizeof(command),
		 "/usr/bin/python3 '%s' junit 1.xml | grep -x '4 1 0 1' && /usr/bin/python3 '%s' sarif 1.sarif | grep "
		 "-x 1 && "
		 "/usr/bin/python3 '%s' json '%s' 1/report.json",
		 reader, reader, reader, schema);
	e2e_expect_command(e2e, command);
	free(reader);
	free(schema);
}

Test(suite, tests_have_one_report_and_a_cache)
{
	static const struct row rows[] = {
		{"one", ""}, {"clean", ""}, {"flaky", ""}, {"skips", "{\"name\":\"SKIP_RETURN_CODE\",\"value\":77}"}};
	struct e2e e2e;

	e2e_begin(&e2e);
	make_build(&e2e, rows, sizeof(rows) / sizeof(*rows));
	expect_suite(&e2e, "--runs=4 --explore=10 --cache c -o 1 --sarif 1.sarif --junit 1.xml", 1);
	expect_said(&e2e, "^FOUND  *flaky: 1 harmful race");
	expect_said(&e2e, "^4 tests, 1 FOUND, 1 ok, 1 without threads, 1 skipped$");
	e2e_expect_command(&e2e, "test -s 1/index.html && test -s 1/003-flaky/index.html && ! test -e 1/001-one");
	e2e_expect_command(&e2e, "jq -e '(.runs | length) == 1 and (.runs[0].results | length) == 1' 1.sarif");
	e2e_expect_command(&e2e,
			   "xmllint --xpath '/testsuites[count(testsuite) = 1]/testsuite[@tests = 4][@failures = 1]"
			   "[@skipped = 1]/testcase[@classname = \"ctest\"][@name = \"flaky\"]/failure' 1.xml");
	e2e_expect_command(&e2e, "jq -e '[.tests[] | .cached // false] == [false, false, false, false]' 1/report.json");

	expect_readable(&e2e);

	/* the finding is the same one, and nothing is executed for it but a replay */
	expect_suite(&e2e, "--runs=4 --explore=10 --cache c -o 2", 1);
	expect_said(&e2e, "^FOUND  *flaky: 1 harmful race");
	e2e_expect_command(&e2e, "jq -e '[.tests[] | .cached // false] == [true, true, true, false]' 2/report.json");
	e2e_expect_command(&e2e, "f=.tests[2].report.pairs[0].fingerprint; "
				 "test \"$(jq $f 1/report.json)\" = \"$(jq $f 2/report.json)\"");
	expect_suite(&e2e, "--runs=4 --explore=10 --cache c --baseline 1/report.json -o 3", 0);
	e2e_end(&e2e);
}

/* None of these tests can end the suite. */
Test(suite, tests_that_fail_or_hang_are_named)
{
	static const struct row rows[] = {
		{"fails", ""},
		{"kills", ""},
		{"endless", "{\"name\":\"TIMEOUT\",\"value\":0.5}"},
		{"named", "{\"name\":\"WORKING_DIRECTORY\",\"value\":\"f\"},"
			  "{\"name\":\"ENVIRONMENT\",\"value\":[\"NAMED=1\"]},{\"name\":\"FIXTURES_REQUIRED\","
			  "\"value\":[\"x\"]}"},
		{"one", "{\"name\":\"FIXTURES_SETUP\",\"value\":[\"x\"]}"},
		{"two", "{\"name\":\"DISABLED\",\"value\":true}"},
	};
	struct e2e e2e;

	e2e_begin(&e2e);
	make_build(&e2e, rows, sizeof(rows) / sizeof(*rows));
	expect_suite(&e2e, "-j2 -o out", 1);
	expect_said(&e2e, "^FAILED  *fails: it fails without rfsup in each of 3 runs (status 3)$");
	expect_said(&e2e, "^FAILED  *kills: it fails without rfsup in each of 3 runs (signal 9 (Killed))$");
	expect_said(&e2e, "^FAILED  *endless: without rfsup, it does not end within its TIMEOUT of 0.5 s$");
	expect_said(&e2e, "^6 tests, 3 FAILED, 1 ok, 1 without threads, 1 disabled$");
	e2e_end(&e2e);
}

Test(suite, what_cannot_be_listed_is_refused)
{
	static const char *const cases[][2] = {
		{"--suite nothing", "cannot read 'nothing': No such file"},
		{"--suite f", "'f' has neither CTestTestfile.cmake nor meson-info nor Cargo.toml"},
		{"--suite /bin/true", "is not a program of GoogleTest, Catch2, doctest or libtest"},
		{"--suite b /bin/true", "--suite takes the programs from the build; remove '/bin/true'"},
		{"--suite b --gtest", "--gtest does not work with --suite"},
		{"--cache c /bin/true", "--cache has no effect without --suite"},
	};
	struct e2e e2e;

	e2e_begin(&e2e);
	make_build(&e2e, NULL, 0);
	expect_suite(&e2e, "-o out", 2);
	expect_said(&e2e, "has no tests$");
	e2e_expect_command(&e2e, "echo '{' >b/list.json");
	expect_suite(&e2e, "-o out", 2);
	expect_said(&e2e, "ctest: its list of tests is damaged at line ");
	e2e_expect_command(&e2e, "printf '#!/bin/sh\\nexit 1' >bin/ctest");
	expect_suite(&e2e, "-o out", 2);
	expect_said(&e2e, "ctest failed and did not list the tests of ");
	e2e_expect_command(&e2e, "mkdir none; test $(PATH=$PWD/none \"$RFSUP\" --suite b 2>errors >&2; echo $?) = 2 && "
				 "grep -q 'but there is no ctest; install cmake' errors");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char line[512];

		snprintf(line, sizeof(line), "! \"$RFSUP\" %s >errors 2>&1 && grep -qF -- \"%s\" errors", cases[i][0],
			 cases[i][1]);
		e2e_expect_command(&e2e, line);
	}
	e2e_end(&e2e);
}
