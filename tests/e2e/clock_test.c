/*
 * clock_test.c - --clock. By default, time is a function of the seed. The real time is recorded, and a replay repeats
 * it.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/e2e/harness.h"
#include "tracer/rdtsc.h"

TestSuite(clock, .timeout = 900);

#define DAY (24 * 3600)
/* A second at which virtual time begins, not that of a run without --date. */
#define DATE "2031-02-03T04:05:06"
#define VIRTUAL 1927857906ll

/* The output of run i. Caller frees. */
static char *output(const struct e2e *e2e, int i)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/out/runs/sample-seed-%d.out", e2e->folder, i);
	return e2e_text(path);
}

static void expect_time(struct e2e *e2e, const char *text, long long around)
{
	long long told = text ? strtoll(text, NULL, 10) : 0;

	e2e_expect(e2e, llabs(told - around) < DAY, "%lld instead of about %lld", told, around);
}

Test(clock, real_time_is_recorded)
{
	char *program, *first, *second, record[4096];
	struct e2e e2e;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "times.c", "-O2");
	e2e_run(&e2e, WORDS("--clock=real", "--policy=random", "--runs=2", "--keep-records", program));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, e2e_stat(&e2e, "outside_clock") == 2, "%s", e2e.said.err);
	first = output(&e2e, 1);
	second = output(&e2e, 2);
	expect_time(&e2e, first, (long long)time(NULL));
	e2e_expect(&e2e, first && second && strcmp(first, second) != 0, "the clock stands still:\n%s",
		   first ? first : "");
	snprintf(record, sizeof(record), "%s/out/records/sample-seed-1.json", e2e.folder);
	for (int i = 0; i < 3 && first; i++) {
		e2e_say(&e2e, WORDS("--replay", record));
		e2e_expect_status(&e2e, 0);
		e2e_expect(&e2e, strstr(e2e.said.err, "same as the recorded run"), "%s", e2e.said.err);
		e2e_expect(&e2e, strcmp(e2e.said.out, first) == 0, "%s\ninstead of\n%s", e2e.said.out, first);
	}
	free(first);
	free(second);
	free(program);
	e2e_end(&e2e);
}

Test(clock, virtual_time_is_no_input)
{
	char *program, *first, record[4096];
	struct e2e e2e;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "times.c", "-O2");
	e2e_run(&e2e, WORDS("--policy=random", "--runs=1", "--keep-records", "--date=" DATE, program));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, e2e_stat(&e2e, "outside_clock") == -1, "%s", e2e.said.err);
	first = output(&e2e, 1);
	expect_time(&e2e, first, VIRTUAL);
	snprintf(record, sizeof(record), "%s/out/records/sample-seed-1.json", e2e.folder);
	e2e_say(&e2e, WORDS("--replay", record));
	e2e_expect(&e2e, first && strcmp(e2e.said.out, first) == 0, "%s\n%s", e2e.said.err, e2e.said.out);
	free(first);
	/*
	 * with virtual time, all runs of a seed show the same time; with a real clock they differ, and the cause is
	 * named
	 */
	e2e_say(&e2e, WORDS("--verify=3", program));
	e2e_expect_status(&e2e, 0);
	e2e_say(&e2e, WORDS("--verify=3", "--clock=real", program));
	e2e_expect_status(&e2e, 3);
	e2e_expect(&e2e, strstr(e2e.said.out, "the real time (--clock=real)"), "%s", e2e.said.out);
	e2e_say(&e2e, WORDS("--clock=wall", program));
	e2e_expect_status(&e2e, 2);
	e2e_expect(&e2e, strstr(e2e.said.err, "--clock: 'wall' is neither virtual nor real"), "%s", e2e.said.err);
	free(program);
	e2e_end(&e2e);
}

/* Checks all values that counters.c has printed. The counter is twice the nanoseconds of virtual time. */
static void expect_virtual(struct e2e *e2e, const char *ways)
{
	char *all = output(e2e, 1);
	int n = 0;

	for (char *line = all; line && *line; line = strchr(line, '\n') + 1, n++) {
		const char *number = strpbrk(line, "0123456789");
		unsigned long long value = number ? strtoull(number, NULL, 10) : 0;

		e2e_expect(e2e, value > 2000000000000 && value < 2001000000000, "%s: %s", ways, line);
	}
	e2e_expect(e2e, n >= 6, "%s: %d values", ways, n);
	free(all);
}

/* Both ways to control rdtsc, in all sorts of code: breakpoints at the instructions, and traps by the processor. */
Test(clock, the_time_stamp_counter_tells_virtual_time_everywhere)
{
	static const char *const ways[][3] = {{"fork", "spawn", "exec"},    {"mixed", "exec"}, {"sealed", "fork"},
					      {"thread", "mixed"},	    {"library"},       {"mapped"},
					      {"fork", "library", "thread"}};
	struct e2e e2e;
	char *program, *library;

	if (!rfs_rdtsc_traps())
		cr_skip_test("this processor does not trap rdtsc");
	e2e_begin(&e2e);
	library = e2e_library(&e2e, "counters.c", "-DLIBRARY");
	program = e2e_program(&e2e, "counters.c", "-O2 -pthread");
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		const char *args[12] = {"--policy=random", "--runs=1", "--keep-records", program};
		size_t n = 4;

		for (size_t k = 0; k < 3 && ways[i][k]; k++)
			args[n++] = strcmp(ways[i][k], "library") == 0 ? library : ways[i][k];
		e2e_run(&e2e, args);
		expect_virtual(&e2e, ways[i][0]);
		args[0] = "--verify=2";
		memmove(args + 1, args + 3, sizeof(*args) * (n - 2));
		e2e_say(&e2e, args);
		e2e_expect_status(&e2e, 0);
	}
	free(library);
	free(program);
	e2e_end(&e2e);
}

/* Half a second has 500,000 microseconds. A loop that waits for it does not read the clock so often. */
Test(clock, time_passes_for_loops_that_yield)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "waits_by_clock.c", "-O2");
	e2e_run(&e2e, WORDS("--policy=random", "--detector=none", "--runs=3", program));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, e2e_stat(&e2e, "steps") < 15000, "%g steps", e2e_stat(&e2e, "steps"));
	e2e_end(&e2e);
	free(program);
}
