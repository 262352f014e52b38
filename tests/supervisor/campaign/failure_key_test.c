/* failure_key_test.c - what of a message tells failures apart. */
#include "supervisor/campaign/failures/failure_key.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(failure_key, .timeout = 20);

Test(failure_key, numbers_are_chance_and_lines_are_not)
{
	static const struct {
		const char *said, *message;
	} cases[] = {
		{"account 12 has 300, not 0x7fff12ab", "account # has #, not #"},
		{"block 7f3a20 is bad", "block # is bad"},
		{"prog: x.c:12: f: Assertion `a == 3' failed.", "prog: x.c:12: f: Assertion `a == #' failed."},
		{"lib/y.cpp:7:31: bad", "lib/y.cpp:7:31: bad"},
		{"worker3: added face", "worker#: added face"},
		{"time 12:30", "time #:#"},
		{"free(): double free detected in tcache 2", "free(): double free detected in tcache #"},
		{"", ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *message = rfs_failure_message(cases[i].said);

		cr_expect_str_eq(message, cases[i].message);
		free(message);
	}
}

Test(failure_key, an_unknown_message_is_any_message)
{
	char f[] = "f", g[] = "g", first[] = "one", second[] = "two";
	const struct rfs_failure_key one = {.where = f, .message = first}, two = {.where = f, .message = second},
				     unknown = {.where = f}, elsewhere = {.where = g, .message = first};

	cr_expect(rfs_failure_key_equal(&one, &one));
	cr_expect(!rfs_failure_key_equal(&one, &two));
	cr_expect(rfs_failure_key_at(&one, &two));
	cr_expect(rfs_failure_key_equal(&one, &unknown));
	cr_expect(!rfs_failure_key_equal(&one, &elsewhere));
}
