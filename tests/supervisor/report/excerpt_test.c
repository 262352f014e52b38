/* excerpt_test.c - which lines of a program's output a report shows. */
#include "supervisor/report/text/excerpt.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(excerpt, .timeout = 20);

Test(excerpt, shows_the_message_and_what_follows)
{
	const struct {
		const char *output, *excerpt;
	} cases[] = {
		{"one\ntwo\n", "one\ntwo"},
		{"one\n\n  \ntwo", "one\ntwo"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n", "3\n4\n5\n6\n7\n8\n9\n10\n11\n12"},
		{"begin\nx: x.c:3: f: Assertion `n == 1' failed.\n", "x: x.c:3: f: Assertion `n == 1' failed."},
		{"[ RUN      ] A.b\na.cc:12: Failure\nExpected equality\n[  FAILED  ] A.b\n",
		 "a.cc:12: Failure\nExpected equality\n[  FAILED  ] A.b"},
		{"==1==\n==1==ERROR: AddressSanitizer: heap-use-after-free\nREAD of size 4\n",
		 "==1==ERROR: AddressSanitizer: heap-use-after-free\nREAD of size 4"},
		{"thread 'main' panicked at src/main.rs:3:5:\nbad\n",
		 "thread 'main' panicked at src/main.rs:3:5:\nbad"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *got = rfs_excerpt(cases[i].output, strlen(cases[i].output));

		cr_expect_str_eq(got, cases[i].excerpt, "case %zu", i);
		free(got);
	}
}

Test(excerpt, nothing_is_nothing)
{
	cr_expect_null(rfs_excerpt("", 0));
	cr_expect_null(rfs_excerpt("\n \n\t\n", 5));
	cr_expect_null(rfs_excerpt(NULL, 0));
}

Test(excerpt, cuts_long_lines_between_characters)
{
	char line[403], *got;

	for (int i = 0; i < 200; i++)
		memcpy(line + 1 + 2 * i, "\xc3\xa4", 2);
	line[0] = 'x';
	line[401] = '\0';
	got = rfs_excerpt(line, 401);
	cr_expect_eq(strlen(got), 159 + 3, "%zu", strlen(got));
	cr_expect_str_eq(got + 157, "\xc3\xa4...", "%s", got);
	free(got);
}
