/*
 * openmp_test.c - OpenMP programs of GCC: races of each construct are created, and their correct twins are silent. The
 * programs are those of tests/bench/programs/openmp, of which this is a part.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(openmp, .timeout = 600);

#define FOLDER "../../bench/programs/openmp/"

struct program {
	char file[64];
	char flags[32];
	bool is_sampled; /* in the short check: its race is predicted, not created */
};

static char *build(struct e2e *e2e, const struct program *program, const char *define)
{
	char flags[128];

	snprintf(flags, sizeof(flags), "-fopenmp %s %s", program->flags, define);
	return e2e_program_at(e2e, FOLDER, program->file, flags);
}

/* The race is among the predicted pairs, and none of the twin is. Each construct orders its accesses in every run. */
static void expect_predicted(struct e2e *e2e, const struct program *program)
{
	for (int i = 0; i < 2; i++) {
		char *path = build(e2e, program, i ? "-DFIXED" : "");

		e2e_run(e2e, WORDS("--policy=random", "--detector=hybrid", "--no-confirm", "--runs=2", "--", path));
		e2e_expect_status(e2e, 0);
		e2e_expect(e2e, i ? e2e_count(e2e, "pairs") <= 2 : e2e_count(e2e, "pairs") > 0, "%s: %zu pairs\n%s",
			   program->file, e2e_count(e2e, "pairs"), e2e->said.out);
		free(path);
	}
}

static size_t created(const struct e2e *e2e)
{
	size_t n = 0;

	for (size_t i = 0; i < e2e_count(e2e, "pairs"); i++) {
		const char *verdict = json_string_value(json_object_get(e2e_item(e2e, "pairs", i), "verdict"));

		n += strcmp(verdict, "real") == 0 || strcmp(verdict, "harmful") == 0;
	}
	return n;
}

ParameterizedTestParameters(openmp, twins)
{
	/* each construct once, and each way in which code may reach libgomp: a jump at the end of an outlined function,
	 * an access as its first instruction; without -g, two plain moves would be unclear. The first ten are for
	 * the short check: loops, reductions, barriers, single, critical, ordered, sections, tasks, atomics */
	static struct program all[] = {
		{"block_boundary.c", "-O0 -g", false},	 {"mean_and_variance.c", "-O2", false},
		{"missing_barrier.c", "-O2 -g", false},	 {"single_nowait.c", "-O2 -g", true},
		{"critical_names.c", "-O0 -g", true},	 {"doacross.c", "-O0 -g", true},
		{"sections_write.c", "-O2 -g", true},	 {"depend.c", "-O0 -g", true},
		{"taskgroup.c", "-O2 -g", true},	 {"atomic_double.c", "-O2", true},
		{"carried_forward.c", "-O2 -g", false},	 {"sum.c", "-O2 -g", false},
		{"nowait.c", "-O0 -g", false},		 {"copyprivate.c", "-O0 -g", false},
		{"list_push.c", "-O2 -g", false},	 {"ordered_log.c", "-O0 -g", false},
		{"dynamic_boundary.c", "-O2 -g", false}, {"taskwait.c", "-O0 -g", false},
		{"task_counter.c", "-O2 -g", false},	 {"taskloop.c", "-O0 -g", false},
		{"nested.c", "-O2 -g", false},		 {"atomic_read.c", "-O0 -g", false},
		{"depend_globals.c", "-O0 -g", false},
	};

	return cr_make_param_array(struct program, all, e2e_rows(10, sizeof(all) / sizeof(*all)));
}

ParameterizedTest(struct program *program, openmp, twins)
{
	/* nearly each run creates its race */
	const char *runs = e2e_full() ? "--runs=40" : "--runs=3";
	struct e2e e2e;
	char *racy, *fixed;

	e2e_begin(&e2e);
	if (program->is_sampled && !e2e_full()) {
		expect_predicted(&e2e, program);
		e2e_end(&e2e);
		return;
	}
	racy = build(&e2e, program, "");
	e2e_run(&e2e, WORDS(runs, "--explore=0", "--", racy));
	e2e_expect(&e2e, created(&e2e) > 0, "%s: no race was created\n%s", program->file, e2e.said.out);
	fixed = build(&e2e, program, "-DFIXED");
	e2e_run(&e2e, WORDS(runs, e2e_full() ? "--explore=10" : "--explore=2", "--", fixed));
	e2e_expect(&e2e, e2e.said.status == 0 && created(&e2e) == 0 && e2e_count(&e2e, "pairs") <= 2,
		   "%s: its twin is accused\n%s", program->file, e2e.said.out);
	free(racy);
	free(fixed);
	e2e_end(&e2e);
}

/* libgomp's own accesses are not reported, even if --module names it, and the same seed gives the same run. */
Test(openmp, library_is_silent)
{
	const struct program program = {"taskloop.c", "-O2 -g", false};
	struct e2e e2e;
	char *fixed;

	e2e_begin(&e2e);
	fixed = build(&e2e, &program, "-DFIXED");
	e2e_run(&e2e, WORDS("--module=libgomp*", "--explore=20", "--", fixed));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, e2e_count(&e2e, "pairs") == 0, "pairs\n%s", e2e.said.out);
	e2e_say(&e2e, WORDS("--verify=4", "--points=memory", "--", fixed));
	e2e_expect_status(&e2e, 0);
	free(fixed);
	e2e_end(&e2e);
}
