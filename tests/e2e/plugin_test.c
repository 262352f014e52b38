/* plugin_test.c - policies from a shared object: the example of rfsup-policy(7), and modules with errors. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(plugin, .timeout = 300);

/* The example is built with its own Makefile, as the manual page says. */
Test(plugin, the_example_policy_finds_and_replays_a_deadlock)
{
	char command[PATH_MAX + 100], module[PATH_MAX], *target = e2e_target("O2g", "philosophers"), *record;
	struct e2e e2e;

	e2e_begin(&e2e);
	snprintf(module, sizeof(module), "%s/quantum.so", e2e.folder);
	snprintf(command, sizeof(command), "make -s -C tests/plugin OUT=%s", e2e.folder);
	cr_assert_eq(system(command), 0, "%s", command); // NOLINT(cert-env33-c): no foreign input
	e2e_run(&e2e, WORDS("--policy", module, "--runs", "50", target));
	e2e_expect_status(&e2e, 1);
	cr_assert_geq(e2e_count(&e2e, "deadlocks"), 1);
	record = e2e_record(&e2e, e2e_item(&e2e, "deadlocks", 0));
	cr_assert_not_null(record);
	e2e_say(&e2e, WORDS("--replay", record));
	e2e_expect_status(&e2e, 1);
	free(record);
	free(target);
	e2e_end(&e2e);
}

/* The first example of the page, as man(1) would show it. Caller frees. */
static char *first_example(const char *page)
{
	char *text = e2e_text(page), *from, *to, *out;
	size_t n = 0;

	cr_assert_not_null(text, "%s", page);
	from = strstr(text, ".Bd -literal");
	cr_assert_not_null(from);
	from = strchr(from, '\n') + 1;
	to = strstr(from, "\n.Ed");
	cr_assert_not_null(to);
	out = calloc((size_t)(to - from) + 2, 1);
	cr_assert_not_null(out);
	for (; from < to; from++) {
		/* mdoc(7) has two escapes for a backslash */
		if (strncmp(from, "\\e", 2) == 0) {
			out[n++] = '\\';
			from++;
		} else if (strncmp(from, "\\&", 2) == 0) {
			from++;
		} else {
			out[n++] = *from;
		}
	}
	out[n] = '\n';
	free(text);
	return out;
}

/* Follows the page word by word: saves its first policy, compiles it and runs it, with the installed header. */
Test(plugin, the_first_policy_of_the_manual_works)
{
	char command[2 * PATH_MAX], *target = e2e_target("O2g", "abba"), *example;
	struct e2e e2e;

	e2e_begin(&e2e);
	example = first_example("man/rfsup-policy.7");
	spawn_file(e2e.folder, "mine.c", example, strlen(example), 0644);
	snprintf(command, sizeof(command),
		 "mkdir %s/rfsup && cp policy/policy.h policy/operations.h policy/results.h %s/rfsup/ && cd %s && "
		 "cc -std=gnu11 -O2 -Wall -Werror -I. -fPIC -shared -o mine.so mine.c",
		 e2e.folder, e2e.folder, e2e.folder);
	cr_assert_eq(system(command), 0, "%s", command); // NOLINT(cert-env33-c): no foreign input
	e2e_run(&e2e, WORDS("--policy", "./mine.so", "--runs", "50", target));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, e2e_count(&e2e, "deadlocks") == 1, "the deadlock is found");
	free(example);
	free(target);
	e2e_end(&e2e);
}

Test(plugin, a_wrong_module_is_named_and_ends_with_status_2_or_3)
{
	static const struct {
		const char *flags;
		int status;
		const char *why; /* a part of the message */
	} cases[] = {
		{"-DWRONG_ABI", 2, "was built for version 4711 of policy.h"},
		{"-DNO_TABLE", 2, "does not export a table named rfs_policy"},
		{"-DNO_PICK", 2, "must set name, init and pick"},
		{"-DPICKS_NOBODY", 3, "policy bad picked thread 77, which does not exist, at step 0"},
		{"-DPICKS_DISABLED", 3, "which is not enabled"},
		{"-DGIVES_UP", 3, "policy bad failed at step 3"},
	};
	char *target = e2e_target("O2g", "abba");

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char flags[100], *module;
		struct e2e e2e;

		e2e_begin(&e2e);
		snprintf(flags, sizeof(flags), "-I. -fPIC -shared %s", cases[i].flags);
		module = e2e_program(&e2e, "bad_policy.c", flags);
		e2e_run(&e2e, WORDS("--policy", module, "--runs", "3", target));
		e2e_expect_status(&e2e, cases[i].status);
		e2e_expect(&e2e, strstr(e2e.said.err, cases[i].why) || strstr(e2e.said.out, cases[i].why),
			   "%s: '%s' is not said: %s%s", cases[i].flags, cases[i].why, e2e.said.err, e2e.said.out);
		free(module);
		e2e_end(&e2e);
	}
	free(target);
}

Test(plugin, what_is_no_module_is_refused)
{
	char *target = e2e_target("O2g", "abba");
	struct e2e e2e;

	e2e_begin(&e2e);
	spawn_file(e2e.folder, "text.so", "no module\n", 10, 0644);
	e2e_run(&e2e, WORDS("--policy", "./text.so", "--runs", "3", target));
	e2e_expect_status(&e2e, 2);
	e2e_expect(&e2e, strstr(e2e.said.err, "cannot load policy './text.so'") != NULL, "%s", e2e.said.err);
	free(target);
	e2e_end(&e2e);
}

/* Samples a target with this policy. Returns the orders as text; caller frees. *picks: how often pick was called. */
static char *orders(struct e2e *e2e, const char *module, const char *points, const char *target, double *picks)
{
	e2e_run(e2e, WORDS("--policy", module, "--runs=12", points, target));
	*picks = e2e_stat(e2e, "livelocks");
	return json_dumps(json_object_get(json_object_get(e2e->report, "sampling"), "orders"), JSON_SORT_KEYS);
}

Test(plugin, hints_save_questions_and_change_nothing)
{
	static const char *const names[] = {"figure1",	       "abba",	      "philosophers",  "cxx_condition_variable",
					    "futex_pingpong",  "timed_waits", "sleepers",      "spin_yield",
					    "signal_handler",  "cancel",      "pipes_threads", "lock_pairs",
					    "barrier_ordered", "fork_threads"};
	static const char *const points[] = {"--points=sync", "--points=memory"};

	/* in the short check, the first eight, each with one kind of points, in turns */
	for (size_t i = 0; i < e2e_rows(8, sizeof(names) / sizeof(*names)) * 2; i++) {
		char *target = e2e_target("O2g", names[i / 2]), *modules[2], *found[2];
		double picks[2];
		struct e2e e2e;

		if (!e2e_full() && i / 2 % 2 != i % 2) {
			free(target);
			continue;
		}
		e2e_begin(&e2e);
		for (int k = 0; k < 2; k++) {
			char *module =
				e2e_program(&e2e, "turns.c", k ? "-I. -fPIC -shared -DHINTS" : "-I. -fPIC -shared");

			/* rename it, because the second build would overwrite it */
			cr_assert_gt(asprintf(&modules[k], "%s/turns%d.so", e2e.folder, k), 0);
			cr_assert_eq(rename(module, modules[k]), 0);
			free(module);
			found[k] = orders(&e2e, modules[k], points[i % 2], target, &picks[k]);
			free(modules[k]);
		}
		e2e_expect(&e2e, strcmp(found[0], found[1]) == 0, "%s: without hints %s, with %s", names[i / 2],
			   found[0], found[1]);
		e2e_expect(&e2e, picks[1] < picks[0], "%s: asked %g times without hints, %g with", names[i / 2],
			   picks[0], picks[1]);
		free(found[0]);
		free(found[1]);
		free(target);
		e2e_end(&e2e);
	}
}
