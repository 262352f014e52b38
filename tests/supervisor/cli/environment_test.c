/* The environment of a program that may search for leaks, and of one that does not. */
#include "supervisor/cli/environment.h"

#include <criterion/criterion.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/variables.h"
#include "supervisor/campaign/settings/program.h"

TestSuite(environment, .timeout = 20);

static bool has(char *const *environment, const char *entry)
{
	for (; *environment; environment++)
		if (strcmp(*environment, entry) == 0)
			return true;
	return false;
}

static size_t length(char *const *environment)
{
	size_t n = 0;

	while (environment[n])
		n++;
	return n;
}

static char **environment_of(const char *script, bool follows, char *const *from, bool *leaks_off)
{
	const struct rfs_program program = {.path = (char *)"/bin/true", .script = (char *)script};

	return rfs_environment(&program, from, follows, leaks_off);
}

Test(environment, stays_as_it_is)
{
	char *const from[] = {(char *)"A=1", (char *)"ASAN_OPTIONS=verbosity=0", NULL};
	bool leaks_off;
	char **environment = environment_of(NULL, false, from, &leaks_off);

	cr_expect_not(leaks_off);
	cr_expect_eq(length(environment), 2);
	cr_expect(has(environment, "A=1"));
	cr_expect(has(environment, "ASAN_OPTIONS=verbosity=0"));
	rfs_variables_free(environment);
}

Test(environment, a_preloaded_sanitizer_searches_for_no_leaks)
{
	char *const from[] = {(char *)"LD_PRELOAD=/usr/lib/libasan.so.8", (char *)"ASAN_OPTIONS=detect_leaks=1",
			      (char *)"ASAN_OPTIONS_FILE=x", NULL};
	bool leaks_off;
	char **environment = environment_of(NULL, false, from, &leaks_off);

	cr_expect(leaks_off);
	cr_expect_eq(length(environment), 4);
	cr_expect(has(environment, "LD_PRELOAD=/usr/lib/libasan.so.8"));
	cr_expect(has(environment, "ASAN_OPTIONS=detect_leaks=1:detect_leaks=0"));
	cr_expect(has(environment, "LSAN_OPTIONS=detect_leaks=0"));
	cr_expect(has(environment, "ASAN_OPTIONS_FILE=x"));
	rfs_variables_free(environment);
}

/* What they start is not known yet. */
Test(environment, nor_do_programs_that_are_started_later)
{
	char *const from[] = {(char *)"LSAN_OPTIONS=", NULL};

	for (int follows = 0; follows < 2; follows++) {
		bool leaks_off;
		char **environment = environment_of(follows ? NULL : "/bin/script", follows, from, &leaks_off);

		cr_expect_not(leaks_off, "nothing to tell");
		cr_expect_eq(length(environment), 2);
		cr_expect(has(environment, "ASAN_OPTIONS=detect_leaks=0"));
		cr_expect(has(environment, "LSAN_OPTIONS=detect_leaks=0"));
		rfs_variables_free(environment);
	}
}
