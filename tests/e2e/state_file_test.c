/* state_file_test.c - a failure whose replay differs, because the runs read and change a file, is never lost. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(state_file, .timeout = 300);

static bool says(const struct e2e *e2e, const char *text)
{
	return strstr(e2e->said.out, text) != NULL;
}

Test(state_file, the_same_failure_with_other_operations_is_a_finding)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "keeps_count.c", "-g -O1 -pthread");
	e2e_say(&e2e, WORDS("--explore=60", "-oout", program, "writes"));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, says(&e2e, "FAILURE: SIGABRT in second"), "%s", e2e.said.out);
	e2e_expect(&e2e, says(&e2e, "its replay ended in the same way, but executed other operations"), "%s",
		   e2e.said.out);
	e2e_expect(&e2e, says(&e2e, "likely reason: the runs read and change count.tmp; use --fresh-dir"), "%s",
		   e2e.said.out);
	e2e_expect_command(&e2e, "jq -e '.failures[0].alike' out/report.json");
	/* the files of the spare runs are gone */
	e2e_expect_command(&e2e, "test $(ls out/records/*.json | wc -l) = 1");
	free(program);
	e2e_end(&e2e);
}

Test(state_file, a_failure_that_no_replay_shows_is_incomplete)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "keeps_count.c", "-g -O1 -pthread");
	e2e_say(&e2e, WORDS("--explore=24", "--junit=r.xml", "--sarif=r.sarif", "-oout", program, "fifth"));
	e2e_expect(&e2e,
		   says(&e2e, "controlled runs was not reproduced by replays: the runs read and change count.tmp") ||
			   says(&e2e, "its replay"),
		   "%s", e2e.said.out);
	e2e_expect(&e2e, e2e.said.status == 4 || e2e.said.status == 3 || e2e.said.status == 1, "status %d",
		   e2e.said.status);
	e2e_expect(&e2e, !says(&e2e, "nothing found"), "%s", e2e.said.out);
	e2e_expect_command(&e2e, "xmllint --xpath '/testsuites/testsuite[@errors + @failures > 0]' r.xml");
	free(program);
	e2e_end(&e2e);
}

Test(state_file, a_file_that_each_run_writes_anew_is_no_reason)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "keeps_count.c", "-g -O1 -pthread");
	e2e_say(&e2e, WORDS("--explore=60", program, "fresh"));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, says(&e2e, "self-check  deterministic"), "%s", e2e.said.out);
	e2e_expect(&e2e, !says(&e2e, "likely reason"), "%s", e2e.said.out);
	free(program);
	e2e_end(&e2e);
}
