/* judge_test.c - runs of tests as ctest(1) and Meson judge them. */
#include "supervisor/cli/suite/judge.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "supervisor/cli/suite/suite_tests.h"
#include "supervisor/cli/suite/watch.h"

TestSuite(judge, .timeout = 20);

/* Each row was tried with ctest 3.25, or with meson 1.0 if it has any_failure. */
Test(judge, runs_are_judged_as_their_build_system_does)
{
	static const struct {
		const char *passing, *failing, *skipping, *output;
		enum rfs_watched end;
		int number;
		bool fails, any_failure, cut;
		enum rfs_judged judged;
		const char *why;
	} rows[] = {
		{NULL, NULL, NULL, "", RFS_WATCHED_EXIT, 0, false, false, false, RFS_JUDGED_PASSES, NULL},
		{NULL, NULL, NULL, "", RFS_WATCHED_EXIT, 1, false, false, false, RFS_JUDGED_FAILS, NULL},
		{NULL, NULL, NULL, "", RFS_WATCHED_EXIT, 77, false, false, false, RFS_JUDGED_SKIPPED, NULL},
		{NULL, NULL, NULL, "", RFS_WATCHED_SIGNAL, 11, false, false, false, RFS_JUDGED_FAILS, NULL},
		{NULL, NULL, NULL, "", RFS_WATCHED_ASLEEP, 0, false, false, false, RFS_JUDGED_FAILS, NULL},
		/* WILL_FAIL: a signal is no failure that it should have */
		{NULL, NULL, NULL, "", RFS_WATCHED_EXIT, 0, true, false, false, RFS_JUDGED_FAILS, NULL},
		{NULL, NULL, NULL, "", RFS_WATCHED_EXIT, 1, true, false, false, RFS_JUDGED_PASSES, NULL},
		{NULL, NULL, NULL, "", RFS_WATCHED_EXIT, 77, true, false, false, RFS_JUDGED_SKIPPED, NULL},
		{NULL, NULL, NULL, "", RFS_WATCHED_SIGNAL, 11, true, false, false, RFS_JUDGED_FAILS, NULL},
		/* should_fail of Meson */
		{NULL, NULL, NULL, "", RFS_WATCHED_SIGNAL, 11, true, true, false, RFS_JUDGED_PASSES, NULL},
		{NULL, NULL, NULL, "", RFS_WATCHED_EXIT, 99, true, true, false, RFS_JUDGED_FAILS, NULL},
		{NULL, NULL, NULL, "", RFS_WATCHED_ASLEEP, 0, true, true, false, RFS_JUDGED_FAILS, NULL},
		/* the output */
		{"^all [0-9]+ ok\n$", NULL, NULL, "all 12 ok", RFS_WATCHED_EXIT, 3, false, false, false,
		 RFS_JUDGED_PASSES, NULL},
		{"ok$", NULL, NULL, "all ok", RFS_WATCHED_EXIT, 0, false, false, false, RFS_JUDGED_FAILS,
		 "its output does not match \"ok$\""},
		{"ok", NULL, NULL, "no", RFS_WATCHED_EXIT, 0, false, false, false, RFS_JUDGED_FAILS,
		 "its output does not match \"ok\""},
		{"ok", NULL, NULL, "no", RFS_WATCHED_EXIT, 0, true, false, false, RFS_JUDGED_PASSES,
		 "its output does not match \"ok\""},
		{"ok", "rror", NULL, "ok\nError", RFS_WATCHED_EXIT, 0, false, false, false, RFS_JUDGED_FAILS,
		 "its output matches \"rror\""},
		{NULL, "rror", NULL, "", RFS_WATCHED_EXIT, 1, false, false, false, RFS_JUDGED_FAILS, NULL},
		{NULL, "a{2}[{]x[]}]", NULL, "a{2}{x}", RFS_WATCHED_EXIT, 0, false, false, false, RFS_JUDGED_FAILS,
		 "its output matches \"a{2}[{]x[]}]\""},
		{NULL, "a{2}", NULL, "aa", RFS_WATCHED_EXIT, 0, false, false, false, RFS_JUDGED_PASSES, NULL},
		{NULL, "(", NULL, "(", RFS_WATCHED_EXIT, 0, false, false, false, RFS_JUDGED_PASSES, NULL},
		{"ok", NULL, "no .*device", "no such\ndevice", RFS_WATCHED_EXIT, 1, false, false, false,
		 RFS_JUDGED_SKIPPED, NULL},
		/* a part is missing */
		{"ok", NULL, NULL, "no", RFS_WATCHED_EXIT, 0, false, false, true, RFS_JUDGED_UNKNOWN, NULL},
		{"ok", NULL, NULL, "ok", RFS_WATCHED_EXIT, 0, false, false, true, RFS_JUDGED_PASSES, NULL},
		{NULL, NULL, NULL, "no", RFS_WATCHED_EXIT, 0, false, false, true, RFS_JUDGED_PASSES, NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rfs_suite_tests tests = {0};
		struct rfs_suite_test *test = rfs_suite_tests_add(&tests, "s", "t");
		const struct rfs_watch watch = {
			.end = rows[i].end,
			.number = rows[i].number,
			.output = (char *)rows[i].output,
			.cut = rows[i].cut,
		};
		char *why;

		test->skips = 77;
		test->errs = rows[i].any_failure ? 99 : -1;
		test->fails = rows[i].fails;
		test->any_failure = rows[i].any_failure;
		if (rows[i].passing)
			rfs_words_add(&test->passing, rows[i].passing);
		if (rows[i].failing)
			rfs_words_add(&test->failing, rows[i].failing);
		if (rows[i].skipping)
			rfs_words_add(&test->skipping, rows[i].skipping);
		cr_expect_eq(rfs_suite_judge(test, &watch, &why), rows[i].judged, "row %zu", i);
		if (rows[i].why)
			cr_expect_str_eq(why, rows[i].why);
		else
			cr_expect_null(why, "row %zu: %s", i, why);
		free(why);
		rfs_suite_tests_release(&tests);
	}
}
