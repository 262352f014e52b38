/* not_muted_test.c - races that look like atomics or locks are findings, and those look-alikes are none. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(not_muted, .timeout = 600);

static void expect_kinds(const char *flags)
{
	static const char *const kinds[] = {"lock", "member", "macro"};
	struct e2e e2e;

	e2e_begin(&e2e);
	for (size_t i = 0; i < 2 * (sizeof(kinds) / sizeof(*kinds)); i++) {
		char *program = e2e_program(&e2e, "not_muted.c", flags);
		char kind[32];

		snprintf(kind, sizeof(kind), "%s%s", kinds[i / 2], i % 2 ? "_fixed" : "");
		e2e_run(&e2e, WORDS("--runs=20", "--explore=20", program, kind));
		e2e_expect(&e2e, e2e.said.status == (i % 2 ? 0 : 1), "%s %s: %s", flags, kind, e2e.said.out);
		free(program);
	}
	e2e_end(&e2e);
}

Test(not_muted, at_o2)
{
	expect_kinds("-g -O2 -pthread");
}

Test(not_muted, at_o0)
{
	expect_kinds("-g -O0 -pthread");
}
