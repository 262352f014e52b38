/* memory_test.c - the limit of a detector's memory, programs that need much, and targets that touch rfsup's mappings.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(memory, .timeout = 600);

#define MIB (1024.0 * 1024.0)
#define PREDICT "--policy=random", "--detector=hybrid", "--no-confirm", "--stats"

static char *pairs_of(const struct e2e *e2e)
{
	char path[4096], *text;

	snprintf(path, sizeof(path), "%s/out/pairs.txt", e2e->folder);
	text = e2e_text(path);
	return text ? text : strdup("");
}

static size_t lines_of(const char *text)
{
	size_t n = 0;

	while ((text = strchr(text, '\n')))
		text++, n++;
	return n;
}

/* Past the limit, the oldest accesses are forgotten, and the report says so. What was accessed last is remembered. */
Test(memory, past_the_limit_the_oldest_accesses_are_forgotten)
{
	static const char *const passes[] = {"--predict-runs=0", "--no-two-pass"};
	char *program;
	struct e2e e2e;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "large.c", "-O1 -g -pthread");
	for (int one = 0; one < 2; one++) {
		const char *words[] = {PREDICT,
				       "--seed=3",
				       "--runs=1",
				       "--memory=4M",
				       one ? passes[1] : program,
				       one ? program : "fill",
				       one ? "fill" : "16",
				       one ? "16" : NULL,
				       NULL};
		char *first, *all;
		double peak;

		e2e_run(&e2e, words);
		first = pairs_of(&e2e);
		peak = e2e_stat(&e2e, "detector_bytes");
		e2e_expect(&e2e, peak > 3 * MIB && peak < 4.1 * MIB, "%g bytes", peak);
		e2e_expect(&e2e, e2e_stat(&e2e, "detector_forgot") > 0, "%s", e2e.said.out);
		e2e_expect(&e2e, strstr(e2e.said.out, "limit of 4 MiB of memory"), "%s", e2e.said.out);
		/* the same seed again */
		e2e_run(&e2e, words);
		all = pairs_of(&e2e);
		e2e_expect(&e2e, strcmp(first, all) == 0 && peak == e2e_stat(&e2e, "detector_bytes"), "%s\n%s", first,
			   all);
		free(all);
		/* the control: everything is remembered */
		words[6] = "--memory=1G";
		e2e_run(&e2e, words);
		all = pairs_of(&e2e);
		e2e_expect(&e2e, lines_of(first) < lines_of(all), "%s\n%s", first, all);
		e2e_expect(&e2e, e2e_stat(&e2e, "detector_forgot") == 0, "%s", e2e.said.out);
		e2e_expect(&e2e, !strstr(e2e.said.out, "of memory"), "%s", e2e.said.out);
		free(first);
		free(all);
	}
	free(program);
	e2e_end(&e2e);
}

/* The limit does not depend on the machine that replays. */
Test(memory, a_record_has_the_limit)
{
	char *program, *text, path[4096];
	struct e2e e2e;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "large.c", "-O1 -g -pthread");
	e2e_run(&e2e, WORDS(PREDICT, "--runs=1", "--memory=5M", "--keep-records", program, "threads", "2"));
	snprintf(path, sizeof(path), "%s/out/records/sample-seed-1.json", e2e.folder);
	text = e2e_text(path);
	e2e_expect(&e2e, text && strstr(text, "\"memory\":5242880"), "%s", text ? text : path);
	free(text);
	e2e_run(&e2e, WORDS("--memory=1023K", program));
	e2e_expect_status(&e2e, 2);
	e2e_expect(&e2e, strstr(e2e.said.err, "--memory: '1023K' is not a number of bytes"), "%s", e2e.said.err);
	free(program);
	e2e_end(&e2e);
}

/* What the detector needs depends on what is used, not on what is mapped, nor on threads and mappings that are gone. */
Test(memory, large_programs_need_little)
{
	const struct {
		const char *what, *amount, *full;
		double most; /* MiB */
	} cases[] = {
		{"sparse", "100", "100", 8},
		{"threads", "1000", "1000", 256}, /* all of them at once, each with a table of 192 KiB */
		{"maps", "5000", "100000", 2},
	};
	char *program;
	struct e2e e2e;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "large.c", "-O1 -g -pthread");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (int one = 0; one < 2; one++) {
			e2e_run(&e2e,
				WORDS(PREDICT, "--runs=1", "--timeout=500", one ? "--no-two-pass" : "--no-fork-server",
				      program, cases[i].what, e2e_full() ? cases[i].full : cases[i].amount));
			e2e_expect_status(&e2e, 0);
			e2e_expect(&e2e, e2e_count(&e2e, "pairs") > 0, "%s: %s", cases[i].what, e2e.said.out);
			e2e_expect(&e2e, e2e_stat(&e2e, "detector_bytes") < cases[i].most * MIB, "%s: %g bytes",
				   cases[i].what, e2e_stat(&e2e, "detector_bytes"));
		}
	free(program);
	e2e_end(&e2e);
}

/* A target whose memory leaves room for a smaller table of the filter, or for none. */
Test(memory, the_table_of_the_filter_may_be_smaller)
{
	static const char *const flags[] = {
		"-O1 -g -pthread -no-pie -fno-pie",
		"-O1 -g -pthread -no-pie -fno-pie -Wl,--section-start=.wall0=0x550001800000 "
		"-Wl,--section-start=.wall1=0x550011800000 -Wl,--section-start=.wall2=0x540001800000 "
		"-Wl,--section-start=.wall3=0x530001800000",
		"-O1 -g -pthread -no-pie -fno-pie -Wl,--section-start=.wall0=0x550001200000 "
		"-Wl,--section-start=.wall1=0x550011200000 -Wl,--section-start=.wall2=0x540001200000 "
		"-Wl,--section-start=.wall3=0x530001200000",
	};
	double dropped[3];
	struct e2e e2e;

	e2e_begin(&e2e);
	if (!__builtin_cpu_supports("bmi2"))
		cr_skip("no BMI2");
	for (int i = 0; i < 3; i++) {
		char *program = e2e_program(&e2e, "walls.c", flags[i]), *one, *two;

		e2e_run(&e2e, WORDS(PREDICT, "--runs=3", "--no-two-pass", program));
		one = pairs_of(&e2e);
		e2e_run(&e2e, WORDS(PREDICT, "--runs=3", program));
		two = pairs_of(&e2e);
		e2e_expect(&e2e, strcmp(one, two) == 0 && lines_of(one) > 0, "%s\n%s", one, two);
		e2e_expect(&e2e, !strstr(e2e.said.err, "warning"), "%s", e2e.said.err);
		dropped[i] = e2e_stat(&e2e, "accesses_dropped");
		free(one);
		free(two);
		free(program);
	}
	e2e_expect(&e2e, dropped[0] > 0 && dropped[1] > 0 && dropped[1] <= dropped[0] && dropped[2] == 0, "%g, %g, %g",
		   dropped[0], dropped[1], dropped[2]);
	e2e_end(&e2e);
}

/* A target writes over the table: the run is made again without a filter, and no pair is lost. */
Test(memory, a_table_that_is_overwritten_is_noticed)
{
	static const char *const bytes[] = {NULL, "0", "1", "65", "255"};
	size_t pairs = 0;
	char *program;
	struct e2e e2e;

	e2e_begin(&e2e);
	if (!__builtin_cpu_supports("bmi2"))
		cr_skip("no BMI2");
	program = e2e_program(&e2e, "writes_over_stubs.c", "-O1 -g -pthread");
	for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++) {
		e2e_run(&e2e, WORDS(PREDICT, "--runs=1", program, bytes[i]));
		e2e_expect_status(&e2e, 0);
		if (!i)
			pairs = e2e_count(&e2e, "pairs");
		e2e_expect(&e2e, pairs > 0 && e2e_count(&e2e, "pairs") == pairs, "byte %s: %s", bytes[i], e2e.said.out);
		e2e_expect(&e2e, !bytes[i] == !strstr(e2e.said.out, "memory that rfsup had mapped for its stubs"),
			   "byte %s: %s%s", bytes[i] ? bytes[i] : "none", e2e.said.out, e2e.said.err);
	}
	/* the kernel writes too, for a system call of the program */
	e2e_run(&e2e, WORDS(PREDICT, "--runs=1", program, "65", "read"));
	e2e_expect(&e2e, strstr(e2e.said.out, "by a store or a system call of the program"), "%s", e2e.said.out);
	free(program);
	e2e_end(&e2e);
}
