/* Pairs that are named by lines: each stands for the pairs of instructions on these lines that can race. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/e2e/harness.h"

TestSuite(lines_of_pairs, .timeout = 300);

/* Each of the runs must create the race of the pair. */
static void check(const char *program, const char *flags, const char *pair)
{
	struct e2e e2e;
	char *built, *write;
	double runs, confirmed;

	e2e_begin(&e2e);
	built = e2e_program(&e2e, program, flags);
	cr_assert_gt(asprintf(&write, "echo '%s' > pairs", pair), 0);
	e2e_expect_command(&e2e, write);
	e2e_run(&e2e, WORDS("--runs=40", "--pairs=pairs", built));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, e2e_count(&e2e, "pairs") == 1, "%s", e2e.said.out);
	runs = json_number_value(json_object_get(e2e_item(&e2e, "pairs", 0), "runs"));
	confirmed = json_number_value(json_object_get(e2e_item(&e2e, "pairs", 0), "confirmed"));
	e2e_expect(&e2e, runs == 40 && confirmed == runs, "%s %s: created in %g of %g runs", program, flags, confirmed,
		   runs);
	free(write);
	free(built);
	e2e_end(&e2e);
}

Test(lines_of_pairs, of_six_operands)
{
	check("operands.c", "-g -O0", "operands.c:10 operands.c:16");
	check("operands.c", "-g -O2", "operands.c:10 operands.c:16");
}

Test(lines_of_pairs, of_instances_of_a_template)
{
	check("instances.cc", "-g -O0", "instances.cc:17 instances.cc:10");
	check("instances.cc", "-g -Og", "instances.cc:17 instances.cc:10");
}
