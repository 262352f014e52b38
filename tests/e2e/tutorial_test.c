/* tutorial_test.c - the commands of docs/TUTORIAL.md give the output that is there. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/e2e/harness.h"

TestSuite(tutorial, .timeout = 300);

Test(tutorial, all_output_is_real)
{
	// NOLINTNEXTLINE(cert-env33-c): no foreign input
	int status = system("docs/tutorial/run --check docs/TUTORIAL.md");

	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0,
		  "to correct the page: RFSUP=build/rfsup docs/tutorial/run docs/TUTORIAL.md >NEW");
}
