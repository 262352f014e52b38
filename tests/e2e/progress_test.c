/*
 * Programs whose calls have to do with other threads and processes, and programs in which one thread, or a child
 * process, could keep all others from running. Each run ends by itself and passes: the programs check what they see. A
 * time limit that is reached would make the campaign incomplete.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(progress, .timeout = 600);

/* Runs that must end and pass. status: 0, or 4 if the program has one thread. */
static void passes(const char *name, const char *how, int status)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, name, "-O1 -g -pthread");
	e2e_run(&e2e, WORDS("--policy=random", e2e_full() ? "--runs=2" : "--runs=1", "--timeout=100", program, how));
	e2e_expect_status(&e2e, status);
	e2e_expect(&e2e, !strstr(e2e.said.out, "timed out"), "%s %s: %s", name, how, e2e.said.out);
	e2e_expect(&e2e, e2e_count(&e2e, "failures") == 0, "%s %s: %s", name, how, e2e.said.out);
	free(program);
	e2e_end(&e2e);
}

static void is_deterministic(const char *name, const char *how)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, name, "-O1 -g -pthread");
	e2e_say(&e2e, WORDS(e2e_full() ? "--verify=5" : "--verify=2", "--timeout=100", program, how));
	e2e_expect_status(&e2e, 0);
	free(program);
	e2e_end(&e2e);
}

Test(progress, calls_that_never_wait_let_others_run)
{
	passes("starves.c", "calls", 0);
	is_deterministic("starves.c", "calls");
	passes("starves.c", "writes", 0);
	is_deterministic("starves.c", "writes");
}

Test(progress, a_timer_fires_while_a_thread_is_busy)
{
	passes("starves.c", "alarm", 0);
	passes("starves.c", "alarm-calls", 0);
	is_deterministic("starves.c", "alarm-calls");
}

Test(progress, a_child_may_sleep)
{
	passes("child_sleeps.c", "read", 0);
	passes("child_sleeps.c", "poll", 0);
	passes("child_sleeps.c", "wait", 0);
	passes("child_sleeps.c", "popen", 0);
}

Test(progress, ids_in_calls_that_are_rare)
{
	passes("small_calls.c", "ids", 4);
}

/* A call that a signal would not end on a real machine is not ended here either, whatever was polled before. */
Test(progress, a_call_after_a_poll_is_restarted)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "small_calls.c", "-O1 -g -pthread");
	e2e_run(&e2e, WORDS("--policy=random", "--runs=40", program, "restart"));
	e2e_expect_silent(&e2e);
	free(program);
	e2e_end(&e2e);
}

/* Threads that open the two ends of a FIFO meet there, by whichever call. So there is no race. */
Test(progress, opens_of_a_fifo_are_messages)
{
	static const char *const ways[] = {"creat", "openat2"};

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct e2e e2e;
		char *program;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "small_calls.c", "-O1 -g -pthread");
		e2e_run(&e2e, WORDS("--runs=5", "--explore=0", "--setup=rm -f fifo", program, ways[i], "fifo"));
		e2e_expect(&e2e, e2e_count(&e2e, "pairs") == 0, "%s: %s", ways[i], e2e.said.out);
		e2e_expect(&e2e, e2e_count(&e2e, "failures") == 0, "%s: %s", ways[i], e2e.said.out);
		free(program);
		e2e_end(&e2e);
	}
}

/* A run that times out says where each thread is, and in which call. */
Test(progress, a_timeout_says_where_each_thread_is)
{
	static const struct {
		const char *how, *expected[4];
	} ways[] = {
		{NULL,
		 {"thread 0 in pthread_join() at main (waits_outside.c:", "thread 1 in accept(2) at accepts (",
		  "thread 2 in pthread_mutex_lock() at locks (", "thread 3 in poll(2) at polls ("}},
		{"compute", {"thread 0 at main (waits_outside.c:", "thread 1 ", "thread 2 ", "thread 3 "}},
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct e2e e2e;
		char *program;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "waits_outside.c", "-O1 -g -pthread");
		e2e_run(&e2e, WORDS("--policy=random", "--runs=1", "--timeout=4", "--budget=40", program, ways[i].how));
		e2e_expect_status(&e2e, 4);
		for (size_t k = 0; k < 4; k++)
			e2e_expect(&e2e, strstr(e2e.said.out, ways[i].expected[k]), "no '%s': %s", ways[i].expected[k],
				   e2e.said.out);
		free(program);
		e2e_end(&e2e);
	}
}
