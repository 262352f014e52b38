/* suppress_test.c - --suppressions, --gen-suppressions and --no-default-suppressions. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(suppress, .timeout = 200);

/* Writes the file s.supp into the folder of the test. */
static void put_file(struct e2e *e2e, const char *text)
{
	char *path = NULL;
	FILE *out;

	cr_assert_gt(asprintf(&path, "%s/s.supp", e2e->folder), 0);
	out = fopen(path, "we");
	cr_assert(out && fputs(text, out) >= 0 && fclose(out) == 0, "%s", path);
	free(path);
}

static void expect_said(struct e2e *e2e, const char *text)
{
	e2e_expect(e2e, strstr(e2e->said.out, text) != NULL, "missing: %s\n%s", text, e2e->said.out);
}

static void expect_not_said(struct e2e *e2e, const char *text)
{
	e2e_expect(e2e, strstr(e2e->said.out, text) == NULL, "not expected: %s\n%s", text, e2e->said.out);
}

Test(suppress, a_suppressed_pair_gets_no_runs_and_failures_stay)
{
	char *target = e2e_target("O2g", "debug_counter");
	struct e2e e2e;

	e2e_begin(&e2e);
	put_file(&e2e, "race:^count$\nrace:^nothing$\n");
	e2e_run(&e2e, WORDS("--runs=10", "--explore=70", "--suppressions=../s.supp", "--sarif=r.sarif", target));
	(void)e2e_expect_status(&e2e, 2); /* relative to the working directory, which is the folder */
	e2e_run(&e2e, WORDS("--runs=10", "--explore=70", "--suppressions=s.supp", "--sarif=r.sarif", target));
	e2e_expect_status(&e2e, 1);
	e2e_expect_command(&e2e, "jq -e '[.pairs[] | select(.suppressed)] | length > 0 and all(.runs == 0 and "
				 ".planned == 0 and .suppressed.line == 1)' out/report.json");
	e2e_expect_command(&e2e, "jq -e '.suppressions[0].races > 0 and .suppressions[1].races == 0' out/report.json");
	e2e_expect_command(&e2e, "jq -e '.failures | length > 0' out/report.json");
	expect_said(&e2e, " by s.supp:1: race:^count$");
	expect_said(&e2e, "unused      s.supp:2: race:^nothing$");
	expect_said(&e2e, "FAILURE: SIGABRT");
	expect_not_said(&e2e, " race on ");
	free(target);
	e2e_end(&e2e);
}

#define THROUGH_QUIET "{\nthrough quiet\nrfsup:Race\n...\nfun:quiet\n...\nwith:\n...\nfun:quiet\n}\n"

Test(suppress, callers_decide_after_the_race_was_created)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "called.c", "-g -O2 -pthread");
	put_file(&e2e, THROUGH_QUIET);
	e2e_run(&e2e, WORDS("--runs=10", "--explore=0", program));
	e2e_expect_status(&e2e, 1);
	e2e_run(&e2e, WORDS("--runs=10", "--explore=0", "--suppressions=s.supp", "--sarif=r.sarif", program));
	e2e_expect_status(&e2e, 0);
	e2e_expect_command(&e2e,
			   "jq -e '[.pairs[] | select(.suppressed and .verdict == \"real\" and .confirmed > 0)] | "
			   "length > 0' out/report.json");
	e2e_expect_command(&e2e, "jq -e '.runs[0].results | length > 0 and all(.suppressions[0].kind == \"external\")' "
				 "r.sarif");
	e2e_expect_command(&e2e, "cp out/report.json earlier.json");
	/* the suppressed race of an earlier report is not known, only hidden */
	e2e_run(&e2e, WORDS("--runs=10", "--explore=0", "--baseline=earlier.json", program));
	e2e_expect_status(&e2e, 1);
	/* another caller: the race is shown */
	e2e_run(&e2e, WORDS("--runs=10", "--explore=0", "--suppressions=s.supp", program, "loud"));
	e2e_expect_status(&e2e, 1);
	expect_said(&e2e, "unused      s.supp:1: through quiet");
	/* the program fails because of the race, so the race is shown */
	e2e_run(&e2e, WORDS("--runs=20", "--explore=0", "--suppressions=s.supp", program, "harm"));
	e2e_expect_status(&e2e, 1);
	expect_said(&e2e, "HARMFUL race on counter");
	free(program);
	e2e_end(&e2e);
}

Test(suppress, deadlocks_are_hidden_by_suppressions_of_deadlocks_only)
{
	char *target = e2e_target("O2g", "abba");
	struct e2e e2e;

	e2e_begin(&e2e);
	put_file(&e2e, "race:*\natomicity:*\nmisuse:*\n");
	e2e_run(&e2e, WORDS("--runs=5", "--explore=14", "--suppressions=s.supp", target));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strstr(e2e.said.err, "s.supp:1: this line matches everything of its kind") != NULL, "%s",
		   e2e.said.err);
	e2e_expect(&e2e, e2e_count(&e2e, "deadlocks") > 0, "the deadlock is hidden");
	put_file(&e2e, "deadlock:abba.c\n");
	e2e_run(&e2e, WORDS("--runs=5", "--explore=14", "--suppressions=s.supp", target));
	e2e_expect_status(&e2e, 0);
	e2e_expect_command(&e2e,
			   "jq -e '.predicted_deadlocks[0] | .runs == 0 and .suppressed.line == 1' out/report.json");
	e2e_expect_command(&e2e, "jq -e '.suppressions[0].deadlocks > 1' out/report.json");
	free(target);
	e2e_end(&e2e);
}

Test(suppress, atomicity_violations_are_not_tested_and_failures_stay)
{
	char *target = e2e_target("O2g", "atomicity_bank");
	struct e2e e2e;

	e2e_begin(&e2e);
	put_file(&e2e, "atomicity:atomicity_bank.c\n");
	e2e_run(&e2e, WORDS("--runs=10", "--explore=70", "--suppressions=s.supp", target));
	e2e_expect_status(&e2e, 1);
	e2e_expect_command(&e2e, "jq -e '.predicted_violations | length > 0 and all(.runs == 0 and .suppressed)' "
				 "out/report.json");
	e2e_expect(&e2e, e2e_count(&e2e, "failures") > 0, "the failure is hidden");
	free(target);
	e2e_end(&e2e);
}

Test(suppress, misuses)
{
	char *target = e2e_target("O2g", "misuse");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--misuse=error", "--runs=2", "--explore=2", "--predict-runs=1", target, "unlock-other"));
	e2e_expect_status(&e2e, 1);
	put_file(&e2e, "{\nother\nHelgrind:UnlockUnlocked\n...\nfun:unlocks\n}\n"
		       "{\nname\nHelgrind:UnlockForeign\nfun:pthread_mutex_unlock\n...\nfun:unlocks\n}\n");
	e2e_run(&e2e, WORDS("--misuse=error", "--runs=2", "--explore=2", "--predict-runs=1", "--suppressions=s.supp",
			    target, "unlock-other"));
	e2e_expect_status(&e2e, 0);
	expect_said(&e2e, "unused      s.supp:1: other");
	expect_said(&e2e, "1 misuse by s.supp:7: name");
	free(target);
	e2e_end(&e2e);
}

Test(suppress, generated_blocks_hide_what_they_were_made_for)
{
	static const struct {
		const char *target;
		int status; /* with the blocks */
	} cases[] = {{"figure1", 1}, {"abba", 0}, {"debug_counter", 1}, {"figure1_fixed", 0}};
	struct e2e e2e;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *target = e2e_target("O2g", cases[i].target);

		e2e_begin(&e2e);
		e2e_run(&e2e, WORDS("--runs=6", "--explore=10", "--gen-suppressions", target));
		expect_said(&e2e, "# blocks for --suppressions");
		e2e_expect_command(&e2e, "mv out/suppressions.txt s.supp");
		e2e_run(&e2e, WORDS("--runs=6", "--explore=10", "--suppressions=s.supp", target));
		e2e_expect_status(&e2e, cases[i].status);
		e2e_expect_command(&e2e, "jq -e 'all(.pairs[]; .suppressed and .runs == 0)' out/report.json");
		e2e_expect_command(&e2e, "jq -e 'all(.deadlocks[]; .suppressed)' out/report.json");
		e2e_expect_command(&e2e, "jq -e 'all(.predicted_deadlocks[]?; .suppressed)' out/report.json");
		free(target);
		e2e_end(&e2e);
	}
}

Test(suppress, reports_of_other_tools)
{
	char *target = e2e_target("O2g", "report_paths");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=5", "--explore=7", target));
	e2e_expect_command(&e2e, "mv out/report.json earlier.json");
	put_file(&e2e, "race:^z$\nrace:report_paths.c\n");
	e2e_run(&e2e, WORDS("--triage=earlier.json", "--runs=5", "--suppressions=s.supp", target));
	e2e_expect_status(&e2e, 0);
	e2e_expect_command(&e2e, "jq -e '.triage.results.suppressed > 0 and .triage.results.harmful == 0' "
				 "out/report.json");
	free(target);
	e2e_end(&e2e);
}

/* A file that hides all races is said, and what it hides is no finding; a failure of the program stays one. */
Test(suppress, everything)
{
	char *racy = e2e_target("O2g", "report_paths"), *failing = e2e_target("O2g", "check_then_act"), command[200];
	static const char *const files[] = {"race:*\n", "{\nall\nrfsup:Race\n...\n}\n"};
	struct e2e e2e;

	e2e_begin(&e2e);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		e2e_run(&e2e, WORDS("--runs=5", "--explore=5", racy));
		e2e_expect_status(&e2e, 1);
		e2e_expect_command(&e2e, "mv out/report.json earlier.json");
		put_file(&e2e, files[i]);
		e2e_run(&e2e, WORDS("--runs=5", "--explore=5", "--suppressions=s.supp", racy));
		e2e_expect_status(&e2e, 0);
		snprintf(command, sizeof(command), "s.supp:1: this %s matches everything of its kind",
			 i ? "block" : "line");
		e2e_expect(&e2e, strstr(e2e.said.err, command) != NULL, "%s", e2e.said.err);
		e2e_expect_command(&e2e, "jq -e '[.pairs[].runs] | add == 0' out/report.json");
		e2e_run(&e2e, WORDS("--triage=earlier.json", "--runs=5", "--suppressions=s.supp", racy));
		e2e_expect_status(&e2e, 0);
		e2e_expect_command(&e2e,
				   "jq -e '.triage.results.suppressed == .triage.reports and .triage.reports > 0' "
				   "out/report.json");
		e2e_run(&e2e, WORDS("--runs=20", "--explore=20", "--suppressions=s.supp", failing));
		e2e_expect_status(&e2e, 1);
		e2e_expect(&e2e, e2e_count(&e2e, "failures") > 0, "the failure is hidden");
	}
	e2e_end(&e2e);
	free(racy);
	free(failing);
}

Test(suppress, wrong_input_is_said_in_one_line)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"race:a\nrase:b\n", "s.supp:2: 'rase:b' is neither"},
		{"{\nname\nHelgrind:Race\nfun:a\n", "s.supp:1: the file ends inside the block"},
	};
	struct e2e e2e;

	e2e_begin(&e2e);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		put_file(&e2e, cases[i].text);
		e2e_say(&e2e, WORDS("--suppressions=s.supp", "/bin/true"));
		e2e_expect_status(&e2e, 2);
		e2e_expect(&e2e, strstr(e2e.said.err, cases[i].says) != NULL, "%s", e2e.said.err);
	}
	e2e_say(&e2e, WORDS("--suppressions=nowhere", "/bin/true"));
	e2e_expect_status(&e2e, 2);
	e2e_expect(&e2e, strstr(e2e.said.err, "--suppressions: cannot read 'nowhere'") != NULL, "%s", e2e.said.err);
	e2e_end(&e2e);
}
