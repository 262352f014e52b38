/* gtest_list_test.c - the names of tests in what GoogleTest programs write. */
#include "supervisor/cli/campaign/gtest_list.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"

TestSuite(gtest_list, .timeout = 20);

Test(gtest_list, names_are_suites_and_tests)
{
	static const char text[] = "Running main() from gtest_main.cc\n"
				   "Queue.\n  Push\n  DISABLED_Pop\n"
				   "Small/Squares.\n  AreNotNegative/0  # GetParam() = 0\n"
				   "Typed/0.  # TypeParam = int\r\n  Works\r\n"
				   "DISABLED_Old.\n  Test\nSmall/DISABLED_Squares.\n  Test/0\n"
				   "a line of the program\n  indented words\n"
				   "Last.\n  NoNewline";
	static const char *const names[] = {"Queue.Push", "Small/Squares.AreNotNegative/0", "Typed/0.Works",
					    "Last.NoNewline"};
	struct rfs_gtest_list list = {0};

	rfs_gtest_list_parse(text, &list);
	cr_assert_eq(list.n, sizeof(names) / sizeof(*names));
	for (size_t i = 0; i < list.n; i++)
		cr_expect_str_eq(list.names[i], names[i]);
	rfs_gtest_list_release(&list);
	rfs_gtest_list_parse("", &list);
	cr_assert_eq(list.n, 0);
}

Test(gtest_list, a_program_that_lists_nothing_is_refused)
{
	struct rfs_gtest_list list;
	char why[256];

	cr_assert_eq(rfs_gtest_list((char *[]){(char[]){"true"}, NULL}, environ, &list, why, sizeof(why)), -EINVAL);
	cr_assert_not_null(strstr(why, "listed no tests; --gtest needs a GoogleTest program"), "%s", why);
	cr_assert_eq(rfs_gtest_list((char *[]){(char[]){"/nonexistent"}, NULL}, environ, &list, why, sizeof(why)),
		     -ENOENT);
	cr_assert_not_null(strstr(why, "did not list tests: No such file"), "%s", why);
}

Test(gtest_list, an_endless_list_is_refused)
{
	static char shell[] = "sh", option[] = "-c", command[] = "yes '  Test'";
	struct rfs_gtest_list list;
	char why[256];

	cr_assert_eq(rfs_gtest_list((char *[]){shell, option, command, NULL}, environ, &list, why, sizeof(why)),
		     -EFBIG);
	cr_assert_not_null(strstr(why, "did not list tests: File too large"), "%s", why);
}
