/* own_failure_test.c - a test that fails in every run without rfsup is never green. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(own_failure, .timeout = 300);

Test(own_failure, a_launched_test_ends_as_without_rfsup)
{
	static const struct {
		const char *how, *number;
		int status; /* under a shell */
		const char *suite, *result;
	} cases[] = {
		{"status", "0", 0, "@tests = 1 and @failures = 0 and @errors = 0 and @skipped = 0", "nothing found"},
		{"status", "1", 1, "@failures = 1 and @errors = 0", "the program fails in every uncontrolled run;"},
		{"status", "4", 4, "@failures = 1 and @errors = 0", "the program fails in every uncontrolled run;"},
		{"status", "77", 77, "@failures = 0 and @errors = 0 and @skipped = 1",
		 "the program fails in every uncontrolled run, with the status of a skipped test;"},
		{"signal", "6", 128 + SIGABRT, "@failures = 1 and @errors = 0", "the program fails in every"},
		{"signal", "11", 128 + SIGSEGV, "@failures = 1 and @errors = 0", "the program fails in every"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct e2e e2e;
		char command[1000], *program;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "fails_alone.c", "-g -O1 -pthread");
		for (int zero = 0; zero < 2; zero++) {
			snprintf(command, sizeof(command),
				 "\"$RFSUP\" --launcher --quiet --explore=8 %s --junit=r.xml --sarif=r.sarif -o out%d "
				 "'%s' %s %s >r; test $? = %d",
				 zero ? "--error-exitcode=0" : "", zero, program, cases[i].how, cases[i].number,
				 cases[i].status);
			e2e_expect_command(&e2e, command);
		}
		snprintf(command, sizeof(command), "xmllint --xpath '/testsuites/testsuite[%s]' r.xml", cases[i].suite);
		e2e_expect_command(&e2e, command);
		snprintf(command, sizeof(command), "grep -qF 'result      %s' r", cases[i].result);
		e2e_expect_command(&e2e, command);
		snprintf(command, sizeof(command), "jq -e '.runs[0].invocations[0].executionSuccessful == %s' r.sarif",
			 cases[i].status ? "false" : "true");
		e2e_expect_command(&e2e, command);
		snprintf(command, sizeof(command), "jq -e '(.plain.always.%s == %s) == %s' out0/report.json",
			 cases[i].how, cases[i].number, cases[i].status ? "true" : "false");
		e2e_expect_command(&e2e, command);
		free(program);
		e2e_end(&e2e);
	}
}

Test(own_failure, elsewhere_the_campaign_is_incomplete)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "fails_alone.c", "-g -O0 -pthread");
	e2e_say(&e2e, WORDS("--explore=8", "--junit=r.xml", program, "status", "1"));
	e2e_expect_status(&e2e, 4);
	e2e_expect(&e2e, strstr(e2e.said.out, "\nincomplete  the program fails without rfsup: 10 of 10 ") != NULL, "%s",
		   e2e.said.out);
	e2e_expect_command(&e2e, "xmllint --xpath '/testsuites/testsuite[@errors = 1]' r.xml");
	e2e_say(&e2e, WORDS("--policy=random", "--runs=8", program, "status", "1"));
	e2e_expect_status(&e2e, 4);
	free(program);
	e2e_end(&e2e);
}

Test(own_failure, tests_of_googletest_fail)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "gtest_fails.cc",
			      "-g -Wl,--whole-archive -lgtest -lgtest_main -Wl,--no-whole-archive");
	e2e_say(&e2e, WORDS("--gtest", "--runs=4", "--explore=8", "--junit=r.xml", "--error-exitcode=0", program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strstr(e2e.said.out, "FAILED          Always.Fails: the program fails in every") != NULL, "%s",
		   e2e.said.out);
	e2e_expect(&e2e, strstr(e2e.said.out, "FAILED          Always.Throws: ") != NULL, "%s", e2e.said.out);
	e2e_expect(&e2e, strstr(e2e.said.out, "ok              Always.Passes\n3 tests, 1 ok, 2 FAILED\n") != NULL, "%s",
		   e2e.said.out);
	e2e_expect_command(&e2e, "xmllint --xpath '/testsuites[sum(testsuite/@failures) = 2]' r.xml");
	free(program);
	if (!e2e_full()) {
		e2e_end(&e2e);
		return;
	}
	program = e2e_program(&e2e, "gtest_fails.cc",
			      "-g -DABORTS -Wl,--whole-archive -lgtest -lgtest_main -Wl,--no-whole-archive");
	e2e_say(&e2e, WORDS("--gtest", "--runs=4", "--explore=8", program));
	e2e_expect_status(&e2e, 1);
	free(program);
	e2e_end(&e2e);
}

/* Every plain run fails, but the order of a race decides it. */
Test(own_failure, the_order_of_a_race_may_decide_what_each_plain_run_shows)
{
	static const char *const how[] = {"aborts", "exits", "anyway"};
	static const char *const flags[] = {"-g -O0 -pthread", "-g -O2 -pthread", "-g -O1 -pthread"};

	for (size_t i = 0; i < sizeof(how) / sizeof(*how); i++) {
		struct e2e e2e;
		char *program;
		bool decides = i < 2;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "common_order.c", flags[i]);
		e2e_run(&e2e, WORDS("--explore=20", program, how[i]));
		e2e_expect_status(&e2e, 1);
		e2e_expect(&e2e, strstr(e2e.said.out, decides ? "HARMFUL race on " : "REAL race on ") != NULL, "%s",
			   e2e.said.out);
		e2e_expect(&e2e, strstr(e2e.said.out, "; 0 of these failed") == NULL, "%s", e2e.said.out);
		e2e_expect(&e2e,
			   !decides ||
				   strstr(e2e.said.out, "in 20 of 20 runs with this order, in 0 of 20 with the other"),
			   "%s", e2e.said.out);
		/* the race reports the failure */
		e2e_expect(&e2e, decides == (e2e_count(&e2e, "failures") == 0), "%s", e2e.said.out);
		free(program);
		e2e_end(&e2e);
	}
}

/* A program that traces a process fails under rfsup, because a task has one tracer. */
Test(own_failure, a_refused_ptrace_is_no_finding)
{
	static const char *const ways[] = {"me", "attach", "seize", "thread"};

	for (int i = 0; i < 4; i++) {
		struct e2e e2e;
		char *program;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "traces.c", "-g -O1 -pthread");
		e2e_run(&e2e, WORDS("--budget=30", program, ways[i]));
		e2e_expect_status(&e2e, 4);
		e2e_expect(&e2e, e2e_count(&e2e, "failures") == 0, "%s: %s", ways[i], e2e.said.out);
		e2e_expect(&e2e, strstr(e2e.said.out, "runs failed after rfsup had refused ptrace(2)"), "%s: %s",
			   ways[i], e2e.said.out);
		free(program);
		e2e_end(&e2e);
	}
}

/* Every second plain run may use only one core. If it does not end there, that is no failure of the program. */
Test(own_failure, a_program_that_spins_on_one_core_is_run_on_all)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "spins_on_one_core.c", "-g -O1 -pthread");
	e2e_run(&e2e, WORDS("--policy=random", "--runs=2", program));
	e2e_expect(&e2e, strstr(e2e.said.out, "baseline    10 of 10 uncontrolled runs failed\n") != NULL, "%s",
		   e2e.said.out);
	free(program);
	e2e_end(&e2e);
}
