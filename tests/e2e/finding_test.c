/* finding_test.c - what a report says of a finding. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(finding, .timeout = 600);

/* A use of freed memory is a harmful finding, even if the program does not notice it: --until-failure stops at it. */
Test(finding, until_failure_stops_at_a_use_after_free)
{
	char *program = e2e_target("O2g", "always_fails_freed");
	const json_t *pair;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--until-failure", program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strstr(e2e.said.out, "stopped at the first failure"), "%s", e2e.said.out);
	pair = e2e_item(&e2e, "pairs", 0);
	e2e_expect(&e2e, strcmp(json_string_value(json_object_get(pair, "verdict")), "harmful") == 0, "%s",
		   e2e.said.out);
	e2e_expect(&e2e, json_integer_value(json_object_get(pair, "runs")) < 10, "%s", e2e.said.out);
	e2e_expect_replay(&e2e, pair);
	e2e_end(&e2e);
	free(program);
}
