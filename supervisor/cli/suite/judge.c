/*
 * judge.c - the order of the rules is that of cmCTestRunTest::EndTest(): output first, then the exit status, then
 * WILL_FAIL. Regular expressions of CMake are read as extended ones of POSIX (cmake-commands(7), "string").
 */
#include "supervisor/cli/suite/judge.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/cli/suite/suite_tests.h"
#include "supervisor/cli/suite/watch.h"

/* CMake has no repetitions in braces, so a brace is a character. Caller frees. */
static char *without_braces(const char *pattern)
{
	char *out = xmalloc(2 * strlen(pattern) + 1), *end = out;
	bool inside = false; /* of a list of characters, in which a backslash is one of them */

	for (const char *at = pattern; *at; at++) {
		if (*at == '\\' && !inside && at[1]) {
			*end++ = *at++;
		} else if (!inside && *at == '[') {
			inside = true;
			*end++ = *at;
			if (at[1] == '^')
				*end++ = *++at;
			if (at[1] == ']') /* the first one does not end the list */
				*end++ = *++at;
			continue;
		} else if (*at == ']') {
			inside = false;
		} else if (!inside && (*at == '{' || *at == '}')) {
			*end++ = '\\';
		}
		*end++ = *at;
	}
	*end = '\0';
	return out;
}

/* The first of the patterns that the text matches; NULL: none. */
static const char *match_of(char *const *patterns, const char *text)
{
	for (; *patterns; patterns++) {
		char *pattern = without_braces(*patterns);
		regex_t regex;
		bool matches = false;

		if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) == 0) {
			matches = regexec(&regex, text, 0, NULL, 0) == 0;
			regfree(&regex);
		}
		free(pattern);
		if (matches)
			return *patterns;
	}
	return NULL;
}

enum rfs_judged rfs_suite_judge(const struct rfs_suite_test *test, const struct rfs_watch *watch, char **why)
{
	/* ctest(1) adds a line end to the output, so $ does not match behind its last word */
	char *output = xasprintf("%s\n", watch->output ? watch->output : "");
	const char *passing = match_of(test->passing, output), *failing = match_of(test->failing, output);
	const bool exits = watch->end == RFS_WATCHED_EXIT;
	const bool unclear = watch->cut && ((*test->passing && !passing) || (*test->failing && !failing));
	const bool skipped = exits && (watch->number == test->skips || match_of(test->skipping, output));
	bool success = exits && (watch->number == 0 || *test->passing);

	*why = NULL;
	free(output);
	if (skipped)
		return RFS_JUDGED_SKIPPED;
	if (!exits && !(test->any_failure && watch->end == RFS_WATCHED_SIGNAL))
		return RFS_JUDGED_FAILS;
	if (exits && watch->number == test->errs)
		return RFS_JUDGED_FAILS;
	if (unclear)
		return RFS_JUDGED_UNKNOWN;
	if (failing) {
		success = false;
		*why = xasprintf("its output matches \"%s\"", failing);
	} else if (*test->passing && !passing) {
		success = false;
		*why = xasprintf("its output does not match \"%s\"", *test->passing);
	}
	return success != test->fails ? RFS_JUDGED_PASSES : RFS_JUDGED_FAILS;
}
