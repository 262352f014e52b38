/*
 * marks_test.c - annotations and the marks of rfsup.h. targets/annotated.c and targets/marked.c are in the table of
 * known answers; these tests say what the marks add.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(marks, .timeout = 200);

/* What is ordered is not predicted. */
#define PREDICT "--policy=random", "--detector=hybrid", "--no-confirm", "--runs=3"

Test(marks, assertions_fail_in_some_schedules_and_replay)
{
	char *target = e2e_target("O2g", "marked"), *fixed = e2e_target("O2g", "marked_fixed"), *record;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=10", "--explore=70", target));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strstr(e2e.said.out, "RFSUP_ASSERT(first == second) failed") != NULL, "%s", e2e.said.out);
	e2e_expect(&e2e, strstr(e2e.said.out, "0 of 10 uncontrolled runs failed") != NULL, "%s", e2e.said.out);
	record = e2e_failing_record(&e2e, 0);
	e2e_expect(&e2e, record != NULL, "no record");
	if (record)
		e2e_expect_same_replay(&e2e, record);
	free(record);
	e2e_run(&e2e, WORDS("--runs=10", "--explore=70", fixed));
	e2e_expect_status(&e2e, 0);
	e2e_say(&e2e, WORDS("--verify=5", target));
	e2e_expect_status(&e2e, 0);
	e2e_run(&e2e, WORDS("--policy=dpor", fixed));
	e2e_expect_status(&e2e, 0);
	e2e_expect(&e2e, strstr(e2e.said.out, "all schedules") != NULL, "%s", e2e.said.out);
	free(fixed);
	free(target);
	e2e_end(&e2e);
}

Test(marks, threads_are_switched_at_points_only_if_there_are_any)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "points.c", "-g -O2 -pthread");
	e2e_run(&e2e, WORDS("--policy=random", "--points=sync", "--runs=40", program));
	e2e_expect_status(&e2e, 0);
	free(program);
	program = e2e_program(&e2e, "points.c", "-g -O2 -pthread -DPOINT");
	e2e_run(&e2e, WORDS("--policy=random", "--points=sync", "--runs=40", program));
	e2e_expect_status(&e2e, 1);
	free(program);
	e2e_end(&e2e);
}

Test(marks, races_are_predicted_in_regions_only)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "points.c", "-g -O2 -pthread -DREGION");
	e2e_run(&e2e, WORDS("--runs=5", "--explore=0", program));
	e2e_expect_status(&e2e, 1);
	e2e_expect_command(&e2e, "jq -e '.pairs | length > 0 and all(.variable == \"inside\")' out/report.json");
	free(program);
	e2e_end(&e2e);
}

Test(marks, annotations_are_needed)
{
	char *target = e2e_target("O2g", "annotated_fixed");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=5", "--explore=7", target));
	e2e_expect_status(&e2e, 0);
	e2e_expect(&e2e, e2e_count(&e2e, "pairs") == 0, "a pair was predicted");
	free(target);
	e2e_end(&e2e);
}

/* Macros of Valgrind are client requests, which are no calls. */
Test(marks, client_requests_of_valgrind_are_annotations)
{
	static const struct {
		const char *flags, *pairs; /* what jq says of the pairs */
	} builds[] = {
		{"-g -O2", ". == []"},
		{"-g -O2 -DDRD", ". == []"},
		{"-g -O0 -static", ". == []"},
		{"-g -O2 -DLATE", "length > 0 and all(.variable == \"late\")"},
		{"-g -O2 -DLATE -DDRD", "length > 0 and all(.variable == \"late\")"},
		{"-g -O2 -DAGAIN", "length > 0 and all(.variable == \"ready\")"},
		{"-g -O2 -DAGAIN -DDRD", "length > 0 and all(.variable == \"ready\")"},
		{"-g -O2 -DNVALGRIND", "any(.variable == \"ready\") and any(.variable == \"data\")"},
	};

	for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		struct e2e e2e;
		char *program, *command = NULL;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "requests.c", builds[i].flags);
		e2e_run(&e2e, WORDS(PREDICT, program));
		cr_assert_gt(asprintf(&command, "jq -e '[.pairs[]?] | %s' out/report.json", builds[i].pairs), 0);
		e2e_expect_command(&e2e, command);
		free(command);
		free(program);
		e2e_end(&e2e);
	}
}

/* The flag of the loop itself is a race that the program means, and that is not looked at here. */
Test(marks, client_requests_for_semaphores_order_what_is_passed_on)
{
	static const struct {
		const char *flags, *pairs; /* what jq says of the pairs */
	} builds[] = {
		{"-g -O2 -DDRD", "all(.variable == \"count\")"},
		{"-g -O2 -DHELGRIND", "all(.variable == \"count\")"},
		{"-g -O2 -DLATE", "any(.variable == \"late\") and all(.variable != \"data\")"},
		{"-g -O2 -DLATE -DHELGRIND", "any(.variable == \"late\") and all(.variable != \"data\")"},
		{"-g -O2 -DNVALGRIND", "any(.variable == \"data\") and any(.variable == \"late\")"},
	};

	for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		struct e2e e2e;
		char *program, *command = NULL;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "requests_semaphore.c", builds[i].flags);
		e2e_run(&e2e, WORDS(PREDICT, program));
		cr_assert_gt(asprintf(&command, "jq -e '[.pairs[]?] | %s' out/report.json", builds[i].pairs), 0);
		e2e_expect_command(&e2e, command);
		free(command);
		free(program);
		e2e_end(&e2e);
	}
}
