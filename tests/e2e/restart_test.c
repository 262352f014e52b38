/*
 * A run that is made again must not meet what its first start has left behind. rfsup decides early, so that this is
 * rare; if it happens, the report says what to do.
 */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(restart, .timeout = 300);

static void sample(struct e2e *e2e, const char *how, const char *option)
{
	char *program = e2e_program(e2e, "lock_file.c", "-O1 -g -pthread"), file[PATH_MAX];

	snprintf(file, sizeof(file), "%s/lock", e2e->folder);
	e2e_run(e2e, WORDS("--policy=random", "--runs=2", "--jobs=1", option, program, how, file));
	free(program);
}

/* Children and other programs are controlled without another start. */
Test(restart, is_not_needed_for_processes)
{
	static const char *const ways[] = {"fork", "exec"};

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct e2e e2e;

		e2e_begin(&e2e);
		sample(&e2e, ways[i], "--verbose");
		e2e_expect_silent(&e2e);
		e2e_expect(&e2e, !strstr(e2e.said.err, "restarting"), "%s", e2e.said.err);
		e2e_end(&e2e);
	}
}

/* Code that appears at run time is not known before. The second start finds the file of the first one. */
Test(restart, says_what_the_first_start_has_created)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	sample(&e2e, "code", "--verbose");
	e2e_expect(&e2e, strstr(e2e.said.err, "restarting"), "%s", e2e.said.err);
	e2e_expect(&e2e, strstr(e2e.said.out, "/lock'. If the program fails because of that file"), "%s", e2e.said.out);
	e2e_expect(&e2e, strstr(e2e.said.out, "--setup"), "%s", e2e.said.out);
	e2e_end(&e2e);

	e2e_begin(&e2e);
	sample(&e2e, "code", "--setup=rm -f lock");
	e2e_expect(&e2e, !strstr(e2e.said.out, "was started twice"), "%s", e2e.said.out);
	e2e_end(&e2e);
}
