/* limits_test.c - limits of an execution, and what it gets: hangs, --stdin, --fresh-dir, --sleep-race. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/e2e/harness.h"

TestSuite(limits, .timeout = 1800);

static bool text_is(const json_t *object, const char *key, const char *value)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text && strcmp(text, value) == 0;
}

/*
 * Hangs are decided by steps and CPU time of the target. The timeout is long, because real time depends on the load of
 * the machine.
 */
#define PATIENT "--timeout=800"

/* Hangs are found in every phase. Even phase 1 has limits, from the baseline runs. */
Test(limits, a_hang_is_found_by_steps_and_by_cpu_time)
{
	static const struct {
		const char *mode, *detail;
	} cases[] = {{"cpu", "far more CPU time than other runs"},
		     {"steps", "far more scheduling steps than other runs"}};

	/* each run that hangs takes a second or more; tests of limits and the watchdog have steps, too */
	for (size_t i = 0; i < e2e_rows(1, sizeof(cases) / sizeof(*cases)); i++) {
		struct e2e e2e;
		json_t *failure;
		char *program;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "hang.c", "-O2 -g");
		e2e_run(&e2e, WORDS(PATIENT, "--hang-factor=1", "--predict-runs=1",
				    e2e_full() ? "--explore=2" : "--explore=0", "--runs=1",
				    e2e_full() ? "--clock=virtual" : "--no-two-pass", program, cases[i].mode));
		e2e_expect_status(&e2e, 1);
		failure = e2e_item(&e2e, "failures", 0);
		e2e_expect(&e2e, text_is(failure, "kind", "hang") && text_is(failure, "phase", "predict"), "%s: %s",
			   cases[i].mode, e2e.said.out);
		e2e_expect(&e2e, json_integer_value(json_object_get(failure, "runs")) > 1, "%s: in phase 1 only\n%s",
			   cases[i].mode, e2e.said.out);
		/* the report has the limit, and where each thread was */
		e2e_expect(&e2e, strstr(e2e.said.out, cases[i].detail) && strstr(e2e.said.out, "thread 0"), "%s",
			   e2e.said.out);
		e2e_expect_replay(&e2e, failure);
		e2e_end(&e2e);
		free(program);
	}
}

/*
 * The control: the same program without the hang. Under control it needs more CPU time than in a baseline run, and many
 * more stops.
 */
Test(limits, what_only_takes_longer_under_control_is_no_hang)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "hang.c", "-O2 -g");
	e2e_run(&e2e, WORDS(PATIENT, "--hang-factor=1", "--sleep-race=0.1", e2e_full() ? "--explore=5" : "--explore=1",
			    "--runs=1", program, "long"));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, e2e_stat(&e2e, "accesses") > 2e4, "%g accesses", e2e_stat(&e2e, "accesses"));
	e2e_end(&e2e);
	free(program);
}

/* A report of a sanitizer takes long, and runs that pass have none. The control has no sanitizer. */
Test(limits, a_report_of_a_sanitizer_is_no_hang)
{
	static const struct {
		const char *flags, *kind;
	} builds[] = {{"-O2 -g -DSANITIZER", "exit"}, {"-O2 -g", "hang"}};

	for (size_t i = 0; e2e_full() && i < sizeof(builds) / sizeof(*builds); i++) {
		struct e2e e2e;
		char *program;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "hang.c", builds[i].flags);
		e2e_run(&e2e, WORDS(PATIENT, "--policy=random", "--hang-factor=1", "--runs=3", program, "report"));
		e2e_expect_status(&e2e, 1);
		e2e_expect(&e2e, text_is(e2e_item(&e2e, "failures", 0), "kind", builds[i].kind), "%s: %s",
			   builds[i].flags, e2e.said.out);
		e2e_end(&e2e);
		free(program);
	}
}

/* A sleep that is longer than --sleep-race ends only if no other thread can run. */
Test(limits, sleep_race_says_which_sleeps_race)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "hang.c", "-O2 -g");
	e2e_run(&e2e, WORDS(PATIENT, "--sleep-race=0.1", "--explore=20", "--runs=1", program, "steps"));
	e2e_expect_silent(&e2e);
	e2e_end(&e2e);
	free(program);
}

/* A baseline run whose threads all sleep for good is seen, and the controls end by themselves after longer. */
Test(limits, baseline_runs_that_sleep_for_good_are_not_waited_for)
{
	static const struct {
		const char *mode;
		int asleep;
	} cases[] = {{"forever", 2}, {"timed", 0}, {"alarm", 0}, {"timer", 0}, {"busy", 0}, {"pipe", 2}, {"child", 0}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const json_t *plain;
		struct e2e e2e;
		char *program;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "asleep.c", "-O2 -g");
		e2e_run(&e2e, WORDS(PATIENT, "--policy=random", "--runs=1", program, cases[i].mode));
		plain = json_object_get(e2e.report, "plain");
		e2e_expect(&e2e, json_integer_value(json_object_get(plain, "asleep")) == cases[i].asleep, "%s: %s",
			   cases[i].mode, e2e.said.out);
		e2e_expect(&e2e, json_integer_value(json_object_get(plain, "timeouts")) == cases[i].asleep, "%s: %s",
			   cases[i].mode, e2e.said.out);
		/* under control, it is a deadlock */
		e2e_expect_status(&e2e, cases[i].asleep ? 1 : 0);
		e2e_end(&e2e);
		free(program);
	}
}

Test(limits, each_execution_has_its_own_input)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "given.c", "-O2 -g");
	spawn_file(e2e.folder, "input", "given\n", 6, 0644);
	e2e_run(&e2e, WORDS("--stdin=input", "--explore=5", program, "stdin"));
	e2e_expect_silent(&e2e);
	/* the control: without --stdin the program fails, also in each baseline run */
	e2e_run(&e2e, WORDS("--explore=5", program, "stdin"));
	e2e_expect(&e2e, json_integer_value(json_object_get(json_object_get(e2e.report, "plain"), "failures")) == 10,
		   "%s", e2e.said.out);
	e2e_end(&e2e);
	free(program);
}

Test(limits, fresh_dir_is_copied_for_each_execution)
{
	struct e2e e2e;
	char *program, *text, fresh[512], file[600];

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "given.c", "-O2 -g");
	snprintf(fresh, sizeof(fresh), "%s/fresh", e2e.folder);
	cr_assert_eq(mkdir(fresh, 0755), 0);
	spawn_file(fresh, "untouched", "yes\n", 4, 0644);
	e2e_run(&e2e, WORDS("--fresh-dir=fresh", "--explore=5", program, "fresh"));
	e2e_expect_silent(&e2e);
	snprintf(file, sizeof(file), "%s/untouched", fresh);
	text = e2e_text(file);
	e2e_expect(&e2e, text && strcmp(text, "yes\n") == 0, "the folder itself was used");
	e2e_end(&e2e);
	free(text);
	free(program);
}
