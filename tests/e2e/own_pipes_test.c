/*
 * own_pipes_test.c - polls for pipes, sockets and eventfds that only the program has open: a deadlock if nobody is left
 * who could write.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(own_pipes, .timeout = 600);

/* Runs the program and expects this status. deadlocks: how many are reported. */
static void expect(const char *what, const char *call, const char *why, int status, size_t deadlocks)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "polls_own.c", "-g -O1 -pthread");
	e2e_run(&e2e, WORDS("--policy=random", "--runs=2", status == 4 ? "--timeout=5" : "--timeout=60", "--budget=60",
			    program, what, call, why));
	e2e_expect_status(&e2e, status);
	e2e_expect(&e2e, e2e_count(&e2e, "deadlocks") == deadlocks, "%s %s %s: %s", what, call, why, e2e.said.out);
	free(program);
	e2e_end(&e2e);
}

Test(own_pipes, a_poll_that_nobody_ends_is_a_deadlock)
{
	static const char *const whats[] = {"pipe", "socket", "eventfd"}, *const calls[] = {"poll", "select", "epoll"};

	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			expect(whats[i], calls[k], "", 1, 1);
}

Test(own_pipes, a_poll_that_somebody_may_end_is_none)
{
	static const char *const whys[] = {"child", "writer", "timer", "timeout"};

	for (int i = 0; i < 4; i++) {
		expect("pipe", "poll", whys[i], 0, 0);
		expect("socket", "select", whys[i], 0, 0);
		expect("eventfd", "epoll", whys[i], 0, 0);
	}
	/* a signal from outside may come at any time */
	expect("pipe", "poll", "signal", 4, 0);
}
