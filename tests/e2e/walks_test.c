/*
 * walks_test.c - random walks forward and back in replayed runs. walks.py speaks gdb's protocol, as gdb does, and
 * compares registers, stacks and threads whenever a walk comes to a moment again.
 */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/e2e/harness.h"

TestSuite(walks, .timeout = 3600);

static void walk(const char *source, const char *argument)
{
	char *program, *script = realpath("tests/e2e/programs/walks.py", NULL), command[3 * PATH_MAX], rfsup[PATH_MAX];
	const char *binary = getenv("RFSUP");
	struct e2e e2e;

	cr_assert_not_null(script);
	cr_assert_not_null(realpath(binary ? binary : RFS_BUILD "/rfsup", rfsup));
	e2e_begin(&e2e);
	program = e2e_program(&e2e, source, "-O0 -g -pthread");
	e2e_run(&e2e, WORDS("--policy=random", "--runs=1", "--keep-records", program, argument));
	snprintf(command, sizeof(command),
		 "/usr/bin/python3 '%s' '%s' out/records/sample-seed-1.json '%s' %d %d 1 >walks || { cat walks >&2; "
		 "false; }",
		 script, rfsup, program, e2e_full() ? 100 : 5, e2e_full() ? 25 : 6);
	e2e_expect_command(&e2e, command);
	free(program);
	free(script);
	e2e_end(&e2e);
}

Test(walks, c)
{
	walk("backwards.c", "100");
}

Test(walks, cxx)
{
	walk("backwards_cxx.cc", NULL);
}

Test(walks, waits)
{
	walk("backwards_waits.c", NULL);
}

Test(walks, fork)
{
	walk("backwards_fork.c", NULL);
}
