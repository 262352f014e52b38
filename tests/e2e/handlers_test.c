/*
 * handlers_test.c - races of a signal handler with the thread that it interrupts are predicted, created and judged, and
 * a handler that waits for its own thread is a deadlock. Failing runs are replayed exactly. In the fixed twins, and
 * with handlers that do nothing wrong, nothing is found.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(handlers, .timeout = 900);

struct target {
	char name[40];
	char says[2][64];
};

ParameterizedTestParameters(handlers, handler_and_thread)
{
	static struct target targets[] = {
		{"handler_half", {"HARMFUL race on served.", "    handler of SIGALRM reads 4 bytes"}},
		{"handler_lock",
		 {"DEADLOCK of 2 threads", "waits for the end of the handler of SIGALRM, holding lock"}},
		/* the short check ends here */
		{"handler_count", {"HARMFUL race on sum", "    handler of SIGUSR1 "}},
		{"handler_replaced",
		 {"HARMFUL race on level of Settings, allocated by thread 0", "    handler of SIGALRM reads 4 bytes"}},
	};

	return cr_make_param_array(struct target, targets, e2e_rows(2, sizeof(targets) / sizeof(*targets)));
}

ParameterizedTest(struct target *target, handlers, handler_and_thread)
{
	char *program = e2e_target("O2g", target->name);
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=8", "--explore=8", program));
	e2e_expect_status(&e2e, 1);
	for (int i = 0; i < 2; i++)
		e2e_expect(&e2e, strstr(e2e.said.out, target->says[i]), "no '%s'\n%s", target->says[i], e2e.said.out);
	free(e2e_expect_failing_replay(&e2e));
	e2e_end(&e2e);
	free(program);
}

struct control {
	char name[40];
};

ParameterizedTestParameters(handlers, nothing_is_found)
{
	static struct control controls[] = {{"handler_half_fixed"},
					    {"handler_lock_fixed"},
					    {"handler_orders"},
					    /* the short check ends here */
					    {"handler_count_fixed"},
					    {"handler_replaced_fixed"}};

	return cr_make_param_array(struct control, controls, e2e_rows(3, sizeof(controls) / sizeof(*controls)));
}

ParameterizedTest(struct control *control, handlers, nothing_is_found)
{
	char *program = e2e_target("O2g", control->name);
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=8", "--explore=8", program));
	e2e_expect_status(&e2e, 0);
	e2e_end(&e2e);
	free(program);
}
