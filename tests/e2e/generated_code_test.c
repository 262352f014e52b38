/* generated_code_test.c - races in code that the program generates at run time, and what such code may do. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(generated_code, .timeout = 300);

Test(generated_code, race_is_created)
{
	char *program = e2e_target("O2g", "generated_code");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=10", "--explore=0", program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strstr(e2e.said.out, "HARMFUL race on value"), "%s", e2e.said.out);
	e2e_expect(&e2e, strstr(e2e.said.out, "writes 4 bytes at generated-code-0x"), "%s", e2e.said.out);
	e2e_expect(&e2e, !strstr(e2e.said.out, "made code"), "%s", e2e.said.out);
	free(e2e_expect_failing_replay(&e2e));
	e2e_end(&e2e);
	free(program);
}

Test(generated_code, nothing_is_found_in_the_twin)
{
	char *program = e2e_target("O2g", "generated_code_fixed");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=10", "--explore=10", program));
	e2e_expect_status(&e2e, 0);
	e2e_end(&e2e);
	free(program);
}

/* pairs.txt names statements of generated code, so that they can be tried alone. */
Test(generated_code, race_is_created_from_a_pairs_file)
{
	char *program = e2e_target("O2g", "generated_code"), path[PATH_MAX], *pairs;
	struct e2e e2e;

	if (!e2e_full())
		cr_skip_test("in the full check");
	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=1", "--explore=0", program));
	snprintf(path, sizeof(path), "%s/out/pairs.txt", e2e.folder);
	pairs = e2e_text(path);
	cr_assert_not_null(pairs);
	spawn_file(e2e.folder, "pairs", pairs, strlen(pairs), 0644);
	e2e_run(&e2e, WORDS("--pairs=pairs", "--runs=10", program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strstr(e2e.said.out, "HARMFUL race on value"), "%s", e2e.said.out);
	free(pairs);
	e2e_end(&e2e);
	free(program);
}

/* What a page has when it is executed counts, whichever process and address wrote it. */
Test(generated_code, may_change)
{
	char *program = e2e_target("O2g", "generated_changes");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--policy=random", "--detector=hybrid", "--no-confirm", "--runs=2", program));
	e2e_expect_status(&e2e, 0);
	e2e_expect(&e2e, strstr(e2e.said.out, "nothing found"), "%s", e2e.said.out);
	e2e_end(&e2e);
	free(program);
}

Test(generated_code, is_not_watched_if_it_is_executed_too_often)
{
	char *program = e2e_target("O2g", "generated_loop");
	struct e2e e2e;

	if (!e2e_full())
		cr_skip_test("in the full check");
	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--policy=random", "--detector=hybrid", "--no-confirm", "--runs=1", program));
	e2e_expect_status(&e2e, 0);
	e2e_expect(&e2e, strstr(e2e.said.out, "the program made code at run time (at most 4 KiB)"), "%s", e2e.said.out);
	e2e_end(&e2e);
	free(program);
}
