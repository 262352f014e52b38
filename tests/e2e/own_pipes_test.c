/*
 * own_pipes_test.c - polls for pipes, sockets and eventfds that only the program has open: a deadlock if nobody is left
 * who could write. An uncontrolled run is given up early for the same reason.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Makes uncontrolled runs, and expects that they all failed or none, and whether they were given up early. */
static void expect_plain(const char *what, const char *call, const char *why, const char *timeout, bool fails,
			 bool early)
{
	struct e2e e2e;
	const json_t *plain;
	json_int_t failures, asleep;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "waits_own.c", "-g -O1 -pthread");
	e2e_run(&e2e, WORDS("--policy=native", "--runs=1", timeout, "--budget=600", program, what, call, why));
	plain = json_object_get(e2e.report, "plain");
	failures = json_integer_value(json_object_get(plain, "failures"));
	asleep = json_integer_value(json_object_get(plain, "asleep"));
	e2e_expect(&e2e, (failures > 0) == fails && asleep == (early ? failures : 0), "%s %s %s: %s", what, call, why,
		   e2e.said.out);
	free(program);
	e2e_end(&e2e);
}

Test(own_pipes, an_uncontrolled_run_that_nobody_ends_is_given_up_early)
{
	expect_plain("pipe", "poll", "", "--timeout=60", true, true);
	expect_plain("fifo", "read", "", "--timeout=60", true, true);
	expect_plain("socket", "recv", "", "--timeout=60", true, true);
	expect_plain("datagram", "poll", "", "--timeout=60", true, true);
	expect_plain("eventfd", "read", "", "--timeout=60", true, true);
}

Test(own_pipes, an_uncontrolled_run_that_somebody_may_end_is_not)
{
	char folder[] = "/tmp/own_pipes.XXXXXX", fifo[sizeof(folder) + 5];
	int fd;

	expect_plain("socket", "read", "child", "--timeout=60", false, false);
	expect_plain("eventfd", "poll", "child", "--timeout=60", false, false);
	/* we have the FIFO open */
	cr_assert(mkdtemp(folder));
	snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
	cr_assert_eq(mkfifo(fifo, 0600), 0);
	fd = open(fifo, O_RDWR | O_CLOEXEC);
	cr_assert_geq(fd, 0);
	expect_plain("fifo", "read", fifo, "--timeout=5", true, false);
	close(fd);
	unlink(fifo);
	rmdir(folder);
}
