/* fault_place_test.c - two bugs that end the program by one helper are two findings. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/e2e/harness.h"

TestSuite(fault_place, .timeout = 300);

Test(fault_place, callers_of_a_helper_are_told_apart)
{
	static const char *const flags[] = {"-g -O1 -DHELPER=0", "-g -O1 -DHELPER=1", "-g -O1 -DHELPER=2",
					    "-g -O0 -DHELPER=0", "-g -O0 -DHELPER=3"};

	for (size_t i = 0; i < e2e_rows(3, sizeof(flags) / sizeof(*flags)); i++) {
		struct e2e e2e;
		char *program, all[100];

		e2e_begin(&e2e);
		snprintf(all, sizeof(all), "%s -pthread", flags[i]);
		program = e2e_program(&e2e, "helper_dies.c", all);
		/* without a race that explains them */
		e2e_run(&e2e, WORDS("--policy=random", "--points=races", "--runs=150", program));
		e2e_expect_status(&e2e, 1);
		e2e_expect(&e2e, e2e_count(&e2e, "failures") == 2, "%s: %zu failures: %s", flags[i],
			   e2e_count(&e2e, "failures"), e2e.said.out);
		free(program);
		e2e_end(&e2e);
	}
}
