/* message_test.c - two failures at one place are two if the program says different things, and one if it does not. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(message, .timeout = 300);

Test(message, tells_failures_apart)
{
	static const struct {
		const char *how;
		size_t failures;
		const char *says[2];
	} ways[] = {
		{"abort", 2, {"called by count: the first counter is #", "called by count: the second counter is #"}},
		{"exit", 2, {"status 3: cannot use the first counter", "status 3: cannot use the second counter"}},
		{"throw", 2, {"what():  bad first", "what():  bad second"}},
		{"free", 2, {"free(): double free detected in tcache #", "free(): invalid pointer"}},
		{"varies", 1, {"SIGABRT in fail, called by count  [", "SIGABRT in fail, called by count  ["}},
	};

	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "two_messages.cc", "-g -O1 -pthread");
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		e2e_run(&e2e, WORDS("--policy=random", "--points=memory", e2e_full() ? "--runs=200" : "--runs=40",
				    program, ways[i].how));
		e2e_expect_status(&e2e, 1);
		e2e_expect(&e2e, e2e_count(&e2e, "failures") == ways[i].failures, "%s: %s", ways[i].how, e2e.said.out);
		for (int k = 0; k < 2; k++)
			e2e_expect(&e2e, strstr(e2e.said.out, ways[i].says[k]), "%s: no '%s': %s", ways[i].how,
				   ways[i].says[k], e2e.said.out);
	}
	free(program);
	e2e_end(&e2e);
}

/* The last line of a sanitizer is the same for all of its reports. */
Test(message, tells_reports_of_sanitizers_apart)
{
	static const struct {
		const char *flags, *says[2];
	} builds[] = {
		{"-g -O1 -pthread -fsanitize=address",
		 {"FAILURE: status 1: AddressSanitizer: heap-buffer-overflow",
		  "FAILURE: status 1: AddressSanitizer: heap-use-after-free"}},
		{"-g -O1 -pthread -DUNDEFINED -fsanitize=undefined -fno-sanitize-recover=all",
		 {"FAILURE: status 1: signed integer overflow", "FAILURE: status 1: shift exponent"}},
	};

	for (size_t i = 0; i < sizeof(builds) / sizeof(builds[0]); i++) {
		struct e2e e2e;
		char *program;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "sanitizer_messages.c", builds[i].flags);
		e2e_run(&e2e, WORDS("--policy=random", e2e_full() ? "--runs=20" : "--runs=12", program));
		e2e_expect_status(&e2e, 1);
		e2e_expect(&e2e, e2e_count(&e2e, "failures") == 2, "%s: %s", builds[i].flags, e2e.said.out);
		for (int k = 0; k < 2; k++)
			e2e_expect(&e2e, strstr(e2e.said.out, builds[i].says[k]), "%s: no '%s': %s", builds[i].flags,
				   builds[i].says[k], e2e.said.out);
		free(program);
		e2e_end(&e2e);
	}
}
