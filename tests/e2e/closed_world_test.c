/*
 * closed_world_test.c - a program without outside input is a function of its seed. This holds for what it prints of
 * times, random bytes, ids, addresses, the machine and a directory. It also holds for timers and timeouts, and for
 * messages between its threads over pipes and sockets.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(closed_world, .timeout = 900);

/*
 * The output of one run with this seed. The program gets the argument 3 as its exit status, so that the run is kept.
 * Caller frees.
 */
static char *output_of(struct e2e *e2e, const char *program, int seed)
{
	char option[32], path[4096], *text;

	snprintf(option, sizeof(option), "--seed=%d", seed);
	e2e_run(e2e, WORDS("--policy=random", "--runs=1", option, program, "3"));
	snprintf(path, sizeof(path), "%s/out/runs/sample-seed-%d.out", e2e->folder, seed);
	text = e2e_text(path);
	e2e_expect(e2e, text, "no output: %s%s", e2e->said.out, e2e->said.err);
	return text ? text : strdup("");
}

static void same_bytes(const char *name)
{
	int times = e2e_full() ? 30 : 3;
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, name, "-O2 -g -pthread");
	for (int seed = 1; seed <= 3 && !e2e.failed; seed++) {
		char *first = output_of(&e2e, program, seed);

		for (int i = 1; i < times && !e2e.failed; i++) {
			char *again = output_of(&e2e, program, seed);

			e2e_expect(&e2e, strcmp(first, again) == 0, "seed %d prints first\n%s\nthen\n%s", seed, first,
				   again);
			free(again);
		}
		free(first);
	}
	free(program);
	e2e_end(&e2e);
}

static void verified(const char *name)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, name, "-O2 -g -pthread");
	for (int seed = 1; seed <= 3; seed++) {
		char option[32];

		snprintf(option, sizeof(option), "--seed=%d", seed);
		e2e_say(&e2e, WORDS(e2e_full() ? "--verify=200" : "--verify=5", option, program));
		e2e_expect_status(&e2e, 0);
	}
	free(program);
	e2e_end(&e2e);
}

Test(closed_world, what_it_prints_is_the_same)
{
	same_bytes("closed.c");
}

Test(closed_world, what_it_says_to_itself_is_the_same)
{
	same_bytes("talks.c");
}

/* The program finds itself in /proc by the ids that it sees, and checks the result. */
Test(closed_world, names_with_ids_in_them)
{
	same_bytes("names.c");
}

/* The program connects to itself through the ports that it sees, and prints them. */
Test(closed_world, ports_that_the_kernel_picks)
{
	struct e2e e2e;
	char *program, *text;

	same_bytes("ports.c");
	e2e_begin(&e2e);
	program = e2e_program(&e2e, "ports.c", "-O2 -g -pthread");
	text = output_of(&e2e, program, 1);
	e2e_expect(&e2e, strstr(text, "listener 65535 accepted 65535 from 65534\n"), "%s", text);
	e2e_expect(&e2e, strstr(text, "from 65529 to 65530\n"), "%s", text);
	free(text);
	free(program);
	e2e_end(&e2e);
}

/* The program checks the times itself. They are minutes, but of virtual time. */
Test(closed_world, timers_and_timeouts)
{
	verified("timers.c");
}

Test(closed_world, one_seed_is_one_run)
{
	verified("closed.c");
	verified("talks.c");
}

/*
 * The program checks that it is the sender. rfsup cannot poll a signalfd, because a poll shows the signals of the
 * process that calls it.
 */
Test(closed_world, signals_that_are_read)
{
	verified("signal_fd.c");
}

/* Ids and the start of time are the same for all seeds, but random bytes are not. */
Test(closed_world, another_seed_is_another_run)
{
	struct e2e e2e;
	char *program, *one, *two, *cpuinfo;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "closed.c", "-O2 -g -pthread");
	one = output_of(&e2e, program, 1);
	two = output_of(&e2e, program, 2);
	e2e_expect(&e2e, strcmp(one, two) != 0, "two seeds print the same: %s", one);
	e2e_expect(&e2e, strstr(one, "ids 5000001 "), "%s", one);
	/* only some processors let rfsup hide these instructions */
	cpuinfo = e2e_text("/proc/cpuinfo");
	if (cpuinfo && strstr(cpuinfo, "cpuid_fault"))
		e2e_expect(&e2e, strstr(one, "rdrand 0 rdseed 0"), "%s", one);
	free(cpuinfo);
	free(one);
	free(two);
	free(program);
	e2e_end(&e2e);
}
