/* test_list_test.c - which words ask a test program for the list of its tests. */
#include "supervisor/cli/test_list.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <unistd.h>

TestSuite(test_list, .timeout = 20);

Test(test_list, is_asked_by_options_of_known_frameworks)
{
	/* this test program has the texts of Criterion and of the table; /bin/true is no test program */
	static const struct {
		const char *program, *option;
		bool asked;
	} cases[] = {
		{"/bin/true", "--gtest_list_tests", true},
		{"no/such/program", "--gtest_list_tests", true},
		{"/bin/true", "--gtest_list_tests_", false},
		{"/bin/true", "--gtest_filter=--gtest_list_tests", false},
		{"/bin/true", "--list-tests", true},
		{"/bin/true", "--list-test-cases", true},
		{"/bin/true", "--list_content=HRF", true},
		{"/bin/true", "-ltc", false},
		{"/bin/true", "--list", false},
		{"/bin/true", "-N", false},
		{"no/such/program", "--list", false},
		{"/proc/self/exe", "--list", true},
		{"/proc/self/exe", "-l", false},
	};
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	cr_assert_gt(n, 0);
	self[n] = '\0';
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool own = cases[i].program[1] == 'p';
		char *words[] = {own ? self : (char *)cases[i].program, (char *)"x", (char *)cases[i].option, NULL};

		cr_expect_eq(rfs_test_list_is_asked(words), cases[i].asked, "%s %s", words[0], words[2]);
	}
	cr_expect_not(rfs_test_list_is_asked((char *[]){NULL}));
	cr_expect_not(rfs_test_list_is_asked((char *[]){(char *)"--list-tests", NULL}));
}
