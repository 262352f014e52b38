/*
 * events_test.c - with --events, programs that rely on the order of ready descriptors fail, and their failing runs are
 * replayed exactly. Their fixed twins do not fail, and without the option nothing is found.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(events, .timeout = 900);

struct target {
	char name[40];
	char says[40];
};

ParameterizedTestParameters(events, order_of_events)
{
	static struct target targets[] = {
		{"event_freed", "FAIL: the connection has ended"},
		{"event_reply_first", "FAIL: a reply without a request"},
		/* the short check ends here */
		{"event_settings_late", "FAIL: no settings"},
		{"event_stop_first", "FAIL: a job is lost"},
	};

	return cr_make_param_array(struct target, targets, e2e_rows(2, sizeof(targets) / sizeof(*targets)));
}

ParameterizedTest(struct target *target, events, order_of_events)
{
	char *program = e2e_target("O2g", target->name);
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--events", "--runs=1", "--explore=30", program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strstr(e2e.said.out, target->says), "no '%s'\n%s", target->says, e2e.said.out);
	free(e2e_expect_failing_replay(&e2e));
	e2e_end(&e2e);
	free(program);
}

struct control {
	char name[40];
	bool events;
};

ParameterizedTestParameters(events, nothing_is_found)
{
	static struct control controls[] = {
		{"event_freed_fixed", true},	     {"event_reply_first_fixed", true}, {"event_settings_late", false},
		{"event_settings_late_fixed", true}, {"event_stop_first_fixed", true},
	};

	return cr_make_param_array(struct control, controls, e2e_rows(3, sizeof(controls) / sizeof(*controls)));
}

ParameterizedTest(struct control *control, events, nothing_is_found)
{
	char *program = e2e_target("O2g", control->name);
	struct e2e e2e;

	e2e_begin(&e2e);
	if (control->events)
		e2e_run(&e2e, WORDS("--events", "--runs=1", "--explore=30", program));
	else
		e2e_run(&e2e, WORDS("--runs=1", "--explore=30", program));
	e2e_expect_status(&e2e, 0);
	e2e_end(&e2e);
	free(program);
}
