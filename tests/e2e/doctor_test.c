/* doctor_test.c - rfsup --doctor: what it says of this machine and of programs, and its status. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(doctor, .timeout = 60);

static void expect_line(struct e2e *e2e, const char *line)
{
	e2e_expect(e2e, strstr(e2e->said.out, line) != NULL, "no '%s' in\n%s", line, e2e->said.out);
}

Test(doctor, a_machine_on_which_rfsup_works)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_say(&e2e, WORDS("--doctor"));
	e2e_expect_status(&e2e, 0);
	expect_line(&e2e, "ok    ptrace and seccomp filters are permitted");
	e2e_expect(&e2e, strstr(e2e.said.out, "FAIL") == NULL, "%s", e2e.said.out);
	e2e_end(&e2e);
}

Test(doctor, a_program_is_checked_and_not_executed)
{
	char *target = e2e_target("O2g", "fork_threads"), *bare;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_say(&e2e, WORDS("--doctor", "--", target));
	e2e_expect_status(&e2e, 0);
	expect_line(&e2e, "ok    debug information");
	expect_line(&e2e, "note  fork() is called");
	bare = e2e_program(&e2e, "doctor_static.c", "-static -s");
	e2e_say(&e2e, WORDS("--doctor", bare));
	e2e_expect_status(&e2e, 0);
	expect_line(&e2e, "note  a static program without symbols");
	expect_line(&e2e, "no debug information");
	free(bare);
	bare = e2e_program(&e2e, "doctor_static.c", "-static");
	e2e_say(&e2e, WORDS("--doctor", bare));
	expect_line(&e2e, "ok    a static program with symbols");
	e2e_expect(&e2e, strstr(e2e.said.out, "executed") == NULL, "the program was executed");
	free(bare);
	free(target);
	e2e_end(&e2e);
}

Test(doctor, a_program_that_cannot_run)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_say(&e2e, WORDS("--doctor", "/nonexistent"));
	e2e_expect_status(&e2e, 2);
	expect_line(&e2e, "FAIL  no such program: '/nonexistent'");
	e2e_say(&e2e, WORDS("--doctor", "/dev/null"));
	e2e_expect_status(&e2e, 2);
	expect_line(&e2e, "FAIL  '/dev/null' is not a regular file");
	e2e_end(&e2e);
}
