#include "tests/e2e/builds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

const char *const builds[BUILDS] = {"O0g",
				    "O2g",
				    "O2",
				    "gcc-O3g-fixed",
				    "clang-O0g-fixed",
				    "clang-O2g-fixed",
				    "clang-O3g",
				    "O0",
				    "gcc-O0g-fixed",
				    "gcc-O2g-fixed",
				    "gcc-O3g",
				    "clang-O0g",
				    "clang-O2g",
				    "clang-O3g-fixed"};

bool builds_given(void)
{
	return getenv("RFSUP_VARIANTS") != NULL;
}

static bool exists(const char *word, size_t n)
{
	for (size_t i = 0; i < BUILDS; i++)
		if (strlen(builds[i]) == n && strncmp(builds[i], word, n) == 0)
			return true;
	return false;
}

static bool in_full_check(const char *build)
{
	for (size_t i = 0; i < BUILDS_CHECKED; i++)
		if (strcmp(builds[i], build) == 0)
			return true;
	return false;
}

bool builds_has(const char *build)
{
	const char *list = getenv("RFSUP_VARIANTS");
	bool has = false;

	if (!list)
		return e2e_full() ? in_full_check(build) : strcmp(build, "O2g") == 0;
	for (list += strspn(list, " "); *list; list += strspn(list, " ")) {
		const size_t n = strcspn(list, " ");

		if (!exists(list, n)) {
			fprintf(stderr, "RFSUP_VARIANTS: '%.*s' is no build of targets.mk\n", (int)n, list);
			exit(1);
		}
		has |= strlen(build) == n && strncmp(list, build, n) == 0;
		list += n;
	}
	return has;
}
