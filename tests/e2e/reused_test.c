/* reused_test.c - a race on memory that was freed and allocated again is a use after free. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(reused, .timeout = 600);

static bool is_stale(const json_t *pair, size_t k)
{
	return json_is_true(json_object_get(json_array_get(json_object_get(pair, "statements"), k), "stale"));
}

Test(reused, memory)
{
	char *program = e2e_target("O2g", "reused_memory"), *fixed = e2e_target("O2g", "reused_memory_fixed");
	const json_t *pair, *failure;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS(program));
	e2e_expect_status(&e2e, 1);
	cr_assert_eq(e2e_count(&e2e, "pairs"), 2, "%s", e2e.said.out);
	pair = e2e_item(&e2e, "pairs", 0);
	failure = json_object_get(pair, "failure");
	e2e_expect(&e2e, strcmp(json_string_value(json_object_get(failure, "kind")), "use-after-free") == 0, "%s",
		   e2e.said.out);
	/* the user was about to read when the list grew */
	e2e_expect(&e2e, is_stale(pair, 0) && !is_stale(pair, 1), "%s", e2e.said.out);
	e2e_expect(&e2e, strstr(e2e.said.out, "the memory was freed after thread 2 had got its address"), "%s",
		   e2e.said.out);
	e2e_say(&e2e, WORDS("--replay", json_string_value(json_object_get(pair, "record"))));
	e2e_expect_status(&e2e, 1);
	e2e_run(&e2e, WORDS(fixed));
	e2e_expect_silent(&e2e);
	e2e_end(&e2e);
	free(program);
	free(fixed);
}
