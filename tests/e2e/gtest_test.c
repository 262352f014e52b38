/* gtest_test.c - rfsup --gtest: a campaign for each test of a GoogleTest program, and their reports in one. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(gtest, .timeout = 300);

static void expect_line(struct e2e *e2e, const char *line)
{
	e2e_expect(e2e, strstr(e2e->said.out, line) != NULL, "no '%s' in\n%s", line, e2e->said.out);
}

Test(gtest, the_flaky_tests_are_named)
{
	struct e2e e2e;
	char *program, baseline[PATH_MAX];

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "gtest_flaky.cc",
			      "-g -DOTHERS=3 -Wl,--whole-archive -lgtest -lgtest_main -Wl,--no-whole-archive");
	e2e_say(&e2e, WORDS("--gtest", "--runs=4", "--explore=8", "--junit=r.xml", "--sarif=r.sarif", "-o", "first",
			    program));
	e2e_expect_status(&e2e, 1);
	expect_line(&e2e, "FOUND           Account.DepositsOfTwoThreads: ");
	expect_line(&e2e, "FOUND           Mailbox.ReaderSeesTheMessage: ");
	expect_line(&e2e, "ok              Account.DepositsOfTwoThreadsInOneSection\n");
	expect_line(&e2e, "ok              Small/Squares.AreNotNegative/2: it has no second thread\n");
	expect_line(&e2e, "6 tests, 4 ok, 2 FOUND\n");
	e2e_expect_command(&e2e,
			   "xmllint --xpath '/testsuites[count(testsuite) = 6]/testsuite[@failures = 1][2]' r.xml");
	e2e_expect_command(&e2e, "jq -e '(.runs | length) == 1 and (.runs[0].results | length) == 2' r.sarif");
	e2e_expect_command(&e2e, "ls first/001-Account.DepositsOfTwoThreads/records/*.json");

	/* report_out tests have a baseline in the short check */
	if (e2e_full()) {
		snprintf(baseline, sizeof(baseline), "--baseline=%s/first/report.json", e2e.folder);
		e2e_say(&e2e, WORDS("--gtest", "--runs=4", "--explore=8", baseline, "-o", "second", program));
		e2e_expect_status(&e2e, 0);
		expect_line(&e2e, "6 tests, 6 ok\n");
	}

	e2e_say(&e2e, WORDS("-o", "test", "--gtest", "--runs=1", "--explore=10", "--until-failure", program));
	e2e_expect_status(&e2e, 1);
	expect_line(&e2e, ", 5 not started\n");
	e2e_expect_command(&e2e, "grep -q -e '-o test --runs' test/001-Account.DepositsOfTwoThreads/command.txt");
	free(program);
	e2e_end(&e2e);
}

/* All other tests have one thread. */
Test(gtest, two_flaky_tests_of_twenty_are_named)
{
	struct e2e e2e;
	char *program;

	/* in the short check, the six tests above are enough */
	if (!e2e_full())
		cr_skip("in the full check only");
	e2e_begin(&e2e);
	program = e2e_program(&e2e, "gtest_flaky.cc",
			      "-g -DOTHERS=17 -Wl,--whole-archive -lgtest -lgtest_main -Wl,--no-whole-archive");
	e2e_say(&e2e, WORDS("--gtest", "--runs=5", "--explore=70", "-o", "out", program));
	e2e_expect_status(&e2e, 1);
	expect_line(&e2e, "FOUND           Account.DepositsOfTwoThreads: ");
	expect_line(&e2e, "FOUND           Mailbox.ReaderSeesTheMessage: ");
	expect_line(&e2e, "20 tests, 18 ok, 2 FOUND\n");
	free(program);
	e2e_end(&e2e);
}

Test(gtest, other_programs_are_refused)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_say(&e2e, WORDS("--gtest", "/bin/true"));
	e2e_expect_status(&e2e, 2);
	e2e_expect(&e2e, strstr(e2e.said.err, "--gtest needs a GoogleTest program") != NULL, "%s", e2e.said.err);
	e2e_end(&e2e);
}

/* A terminal sends the signal to all processes. The campaign of the test ends with a report, as one without --gtest. */
Test(gtest, an_interrupted_test_has_a_report)
{
	struct e2e e2e;
	char *program, words[4 * PATH_MAX];

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "gtest_flaky.cc",
			      "-g -DOTHERS=3 -Wl,--whole-archive -lgtest -lgtest_main -Wl,--no-whole-archive");
	snprintf(words, sizeof(words),
		 "setsid \"$RFSUP\" --gtest --runs=100000 --explore=100000 -o out '%s' & "
		 "for i in $(seq 500); do test -e out/001-*/pairs.txt && break; sleep 0.1; done; "
		 "kill -INT -$!; wait $!; test -s out/001-*/report.txt && ! test -e out/002-*",
		 program);
	e2e_expect_command(&e2e, words);
	free(program);
	e2e_end(&e2e);
}
