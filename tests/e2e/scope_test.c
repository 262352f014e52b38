/* scope_test.c - --only, --skip and --changed. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(scope, .timeout = 200);

#define SMALL "--runs=4", "--explore=4", "--predict-runs=1"

static void expect_said(struct e2e *e2e, const char *text)
{
	e2e_expect(e2e, strstr(e2e->said.out, text) != NULL, "missing: %s\n%s", text, e2e->said.out);
}

/* Which variables are in races of the report, in order. */
static void expect_races_on(struct e2e *e2e, const char *names)
{
	char *command = NULL;

	cr_assert_gt(asprintf(&command,
			      "jq -r '[.pairs[] | select(.verdict == \"real\") | .variable] | unique | join(\" \")' "
			      "out/report.json | grep -qx '%s'",
			      names),
		     0);
	e2e_expect_command(e2e, command);
	free(command);
}

Test(scope, only_and_skip_name_functions_lines_and_variables)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "scoped.c", "-g -O1 -pthread");
	e2e_run(&e2e, WORDS(SMALL, program));
	e2e_expect_status(&e2e, 1);
	expect_races_on(&e2e, "alpha beta stats.hits");
	e2e_run(&e2e, WORDS(SMALL, "--only=look_at_*", "--skip=beta", program));
	e2e_expect_status(&e2e, 1);
	expect_races_on(&e2e, "alpha");
	expect_said(&e2e, "left out    ");
	expect_said(&e2e, ": not in --only\n");
	expect_said(&e2e, ": --skip beta\n");
	e2e_expect_command(&e2e,
			   "jq -e '[.pairs[] | select(.suppressed)] | length > 0 and all(.runs == 0)' out/report.json");
	e2e_expect_command(&e2e,
			   "jq -e '[.suppressions[].name] == [\"not in --only\", \"--skip beta\"]' out/report.json");
	e2e_run(&e2e, WORDS(SMALL, "--only=stats.hits", program));
	e2e_expect_status(&e2e, 1);
	expect_races_on(&e2e, "stats.hits");
	e2e_run(&e2e, WORDS(SMALL, "--only=scoped.c:29-33", program));
	e2e_expect_status(&e2e, 1);
	expect_races_on(&e2e, "beta");
	e2e_run(&e2e, WORDS(SMALL, "--skip=scoped.c", program));
	e2e_expect_status(&e2e, 0);
	expect_said(&e2e, "nothing found");
	free(program);
	e2e_end(&e2e);
}

Test(scope, a_name_that_nothing_has_is_an_error_with_a_near_name)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "scoped.c", "-g -O1 -pthread");
	e2e_run(&e2e, WORDS(SMALL, "--only=look_at_betta", program));
	e2e_expect_status(&e2e, 2);
	e2e_expect(&e2e, strstr(e2e.said.err, "'look_at_betta'; did you mean 'look_at_beta'?") != NULL, "%s",
		   e2e.said.err);
	e2e_expect_command(&e2e, "test ! -e out");
	e2e_run(&e2e, WORDS(SMALL, "--skip=scopped.c:4", program));
	e2e_expect_status(&e2e, 2);
	e2e_expect(&e2e, strstr(e2e.said.err, "did you mean 'scoped.c'?") != NULL, "%s", e2e.said.err);
	e2e_run(&e2e, WORDS(SMALL, "--only=7-3:9-3", program));
	e2e_expect_status(&e2e, 2);
	e2e_run(&e2e, WORDS(SMALL, "--changed=nosuch", program));
	e2e_expect_status(&e2e, 2);
	e2e_expect(&e2e, strstr(e2e.said.err, "'git diff nosuch' failed; name a revision") != NULL, "%s", e2e.said.err);
	free(program);
	e2e_end(&e2e);
}

Test(scope, changed_functions_of_a_repository)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "scoped.c", "-g -O1 -pthread");
	free(program);
	e2e_expect_command(
		&e2e, "cp $OLDPWD/tests/e2e/programs/scoped.c . || exit; git init -q && git add scoped.c && "
		      "git -c user.name=t -c user.email=t@t commit -qm first && "
		      "sed -i 's/puts(\"beta\")/puts(\"two\")/' scoped.c && gcc -g -O1 -pthread scoped.c -o scoped");
	e2e_run(&e2e, WORDS(SMALL, "--changed=HEAD", "./scoped"));
	e2e_expect_status(&e2e, 1);
	expect_races_on(&e2e, "beta");
	expect_said(&e2e, ": not in --changed HEAD\n");
	e2e_expect_command(&e2e, "git -c user.name=t -c user.email=t@t commit -qam second");
	e2e_run(&e2e, WORDS(SMALL, "--changed=HEAD", "./scoped"));
	e2e_expect_status(&e2e, 2);
	e2e_expect(&e2e, strstr(e2e.said.err, "nothing differs from 'HEAD'; name an older revision") != NULL, "%s",
		   e2e.said.err);
	e2e_end(&e2e);
}
