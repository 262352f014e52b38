/* finding_test.c - what a report says of a finding. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(finding, .timeout = 600);

/* for each prediction of a campaign */
#define RUNS (e2e_full() ? "--runs=100" : "--runs=16")

/* A use of freed memory is a harmful finding, even if the program does not notice it: --until-failure stops at it. */
Test(finding, until_failure_stops_at_a_use_after_free)
{
	char *program = e2e_target("O2g", "always_fails_freed");
	const json_t *pair;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--until-failure", program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strstr(e2e.said.out, "stopped at the first failure"), "%s", e2e.said.out);
	pair = e2e_item(&e2e, "pairs", 0);
	e2e_expect(&e2e, strcmp(json_string_value(json_object_get(pair, "verdict")), "harmful") == 0, "%s",
		   e2e.said.out);
	e2e_expect(&e2e, json_integer_value(json_object_get(pair, "runs")) < 10, "%s", e2e.said.out);
	e2e_expect_replay(&e2e, pair);
	e2e_end(&e2e);
	free(program);
}

/* Whether a pair of the report says that its order changes the output. */
static bool output_depends(const struct e2e *e2e)
{
	bool depends = false;

	for (size_t i = 0; i < e2e_count(e2e, "pairs"); i++)
		depends |= json_object_get(e2e_item(e2e, "pairs", i), "output_depends") != NULL;
	return depends;
}

/* A race that no failure shows, but the output does. If the output does not, or differs anyway, nothing is said. */
Test(finding, the_order_changes_the_output)
{
	static const char *const builds[] = {"-g -O1", "-g -O0", "-g -O2"};

	for (int shape = 1; shape <= 5; shape++)
		/* the short check has one build of each shape, in turns */
		for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
			char flags[64], *program;
			struct e2e e2e;

			if (!e2e_full() && i != (size_t)shape % 3)
				continue;
			snprintf(flags, sizeof(flags), "-DSHAPE=%d %s", shape, builds[i]);
			e2e_begin(&e2e);
			program = e2e_program(&e2e, i < 2 ? "order_output.c" : "order_output_cxx.cc", flags);
			e2e_run(&e2e, WORDS(e2e_full() ? "--runs=20" : "--runs=8", "--explore=5", program));
			e2e_expect_status(&e2e, 1);
			e2e_expect(&e2e, output_depends(&e2e) == (shape <= 3), "%s", e2e.said.out);
			e2e_expect(&e2e, (strstr(e2e.said.out, "the order changes the output") != NULL) == (shape <= 3),
				   "%s", e2e.said.out);
			e2e_expect(&e2e, !strstr(e2e.said.out, "HARMFUL"), "%s", e2e.said.out);
			e2e_end(&e2e);
			free(program);
		}
}

/* A program that ends in a deadlock, and how many violations are harmful, and go along with it at least. */
struct blamed {
	const char *program, *flags;
	int harmful, along;
};

static int count(const struct e2e *e2e, const char *key)
{
	int n = 0;

	for (size_t i = 0; i < e2e_count(e2e, "predicted_violations"); i++)
		n += json_is_true(json_object_get(e2e_item(e2e, "predicted_violations", i), key));
	return n;
}

/* How many violations go along with a deadlock of the report. */
static int along_with_deadlock(const struct e2e *e2e)
{
	int n = 0;

	for (size_t i = 0; i < e2e_count(e2e, "predicted_violations"); i++) {
		const json_t *with = json_object_get(e2e_item(e2e, "predicted_violations", i), "goes_along_with");
		const char *id = json_string_value(json_object_get(with, "deadlock"));
		bool found = false;

		for (size_t k = 0; id && k < e2e_count(e2e, "deadlocks"); k++) {
			const char *other = json_string_value(json_object_get(e2e_item(e2e, "deadlocks", k), "id"));

			found |= other && strcmp(id, other) == 0;
		}
		n += found;
	}
	return n;
}

/*
 * A step on the way to a deadlock is not its cause. One lost signal is one finding, whichever thread it leaves. But a
 * signal that comes before the wait is the cause.
 */
Test(finding, what_goes_along_with_a_deadlock)
{
	/* first, those of the short check */
	static const struct blamed all[] = {
		{"forgotten_waiter.c", "-g -O1", 0, 1},
		{"forgotten_waiter.c", "-g -O1 -DLATE", 1, 0},
		{"pipe_ring.c", "-g -O0 -DRING", 0, 1},
		{"pipe_ring.c", "-g -O2 -DFORGOTTEN", 1, 0},
		{"forgotten_waiter.c", "-g -O0", 0, 1},
		{"forgotten_waiter.cc", "-g -O2", 0, 1},
		{"two_gates.c", "-g -O1", 0, 1},
		{"forgotten_on_heap.c", "-g -O2", 0, 1},
		{"forgotten_on_heap.c", "-g -O0 -DSTACK", 0, 1},
		{"pipe_ring.c", "-g -O1", 0, 1},
	};

	for (size_t i = 0; i < e2e_rows(4, sizeof(all) / sizeof(*all)); i++) {
		struct e2e e2e;
		char *program;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, all[i].program, all[i].flags);
		e2e_run(&e2e, WORDS("--explore=20", RUNS, program));
		e2e_expect_status(&e2e, 1);
		e2e_expect(&e2e, e2e_count(&e2e, "deadlocks") > 0, "%s", e2e.said.out);
		if (!strstr(all[i].program, ".cc"))
			e2e_expect(&e2e, e2e_count(&e2e, "deadlocks") == 1, "%s", e2e.said.out);
		e2e_expect(&e2e, count(&e2e, "harmful") == all[i].harmful, "%s", e2e.said.out);
		e2e_expect(&e2e, along_with_deadlock(&e2e) >= all[i].along, "%s", e2e.said.out);
		if (strcmp(all[i].program, "pipe_ring.c") == 0 && !all[i].harmful)
			e2e_expect(&e2e, strstr(e2e.said.out, " of descriptor ") && strstr(e2e.said.out, " (pipe)"),
				   "%s", e2e.said.out);
		e2e_expect(&e2e, (strstr(e2e.said.out, "goes along with") != NULL) == (all[i].along > 0), "%s",
			   e2e.said.out);
		e2e_end(&e2e);
		free(program);
	}
}

/* A race whose order only says which thread was faster is no cause of a lost signal. The other two races are. */
Test(finding, what_race_is_the_cause_of_a_deadlock)
{
	static const struct {
		const char *flags;
		bool harmful;
	} all[] = {{"-g -O1", false}, {"-g -O1 -DCOUNTS", true}, {"-g -O1 -DUNLOCKED", true}};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct e2e e2e;
		char *program;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "counted_waiters.c", all[i].flags);
		e2e_run(&e2e, WORDS(RUNS, e2e_full() ? "--explore=200" : "--explore=60", program));
		e2e_expect_status(&e2e, 1);
		e2e_expect(&e2e, e2e_count(&e2e, "deadlocks") == 1, "%s", e2e.said.out);
		e2e_expect(&e2e, (strstr(e2e.said.out, "HARMFUL race") != NULL) == all[i].harmful, "%s", e2e.said.out);
		e2e_end(&e2e);
		free(program);
	}
}

/* A loop that the compiler unrolls has each statement several times. Its deadlock is one finding. */
Test(finding, unrolled_statements_are_one_deadlock)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "unrolled_ring.c", "-g -O2");
	e2e_run(&e2e, WORDS("--explore=20", RUNS, program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, e2e_count(&e2e, "deadlocks") == 1, "%s", e2e.said.out);
	e2e_end(&e2e);
	free(program);
}

/*
 * A report names what the user wrote: lines and functions outside the system's headers, and variables with their
 * members. With -O0 the library's functions are called, and with -O2 they are inlined.
 */
Test(finding, cxx_is_named_as_the_user_wrote_it)
{
	static const char *const flags[] = {"-g -O0", "-g -O2"};

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		struct e2e e2e;
		char *program;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "sessions.cc", flags[i]);
		e2e_run(&e2e, WORDS("--explore=40", RUNS, program));
		e2e_expect_status(&e2e, 1);
		e2e_expect(&e2e, strstr(e2e.said.out, "crashes in Sessions::newest()"), "%s", e2e.said.out);
		e2e_expect(&e2e, strstr(e2e.said.out, "sessions.cc:17           lock main::sessions.lock  "), "%s",
			   e2e.said.out);
		e2e_expect(&e2e, !strstr(e2e.said.out, "gthr-default.h"), "%s", e2e.said.out);
		if (i == 1) {
			e2e_expect(&e2e,
				   strstr(e2e.said.out, "HARMFUL ATOMICITY VIOLATION R-w-R on main::sessions.open\n"),
				   "%s", e2e.said.out);
			e2e_expect(&e2e, strstr(e2e.said.out, "writes it in Sessions::close_all() at "), "%s",
				   e2e.said.out);
			e2e_expect(&e2e, strstr(e2e.said.out, "section of main::sessions.lock\n"), "%s", e2e.said.out);
		}
		e2e_end(&e2e);
		free(program);
	}
}
