/* tutorial_test.c - the commands of docs/TUTORIAL.md and of README.md give the output that is there. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/e2e/harness.h"

TestSuite(tutorial, .timeout = 300);

Test(tutorial, all_output_is_real)
{
	static const char *const pages[] = {"docs/TUTORIAL.md", "README.md"};

	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
		char command[100];
		int status;

		snprintf(command, sizeof(command), "docs/tutorial/run --check %s", pages[i]);
		status = system(command); // NOLINT(cert-env33-c): no foreign input
		cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0,
			  "to correct the page: RFSUP=build/rfsup docs/tutorial/run %s >NEW", pages[i]);
	}
}
