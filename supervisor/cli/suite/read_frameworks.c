/* read_frameworks.c - the lists of test programs: GoogleTest, Catch2, doctest and Rust's libtest. */
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/cli/campaign/gtest_list.h"
#include "supervisor/cli/suite/read_lists.h"
#include "supervisor/cli/suite/suite_tests.h"

/* The first one whose mark is in the program is asked; so the marks that only one framework has come first. */
const struct rfs_framework_list rfs_frameworks[RFS_N_FRAMEWORKS] = {
	[RFS_GOOGLETEST] = {"GoogleTest", {"--gtest_list_tests"}, {"gtest_list_tests", "libgtest.so"}},
	[RFS_CATCH2_V2] = {"Catch2", {"--list-test-names-only"}, {"list-test-names-only"}},
	[RFS_CATCH2] = {"Catch2", {"--list-tests", "--verbosity=quiet"}, {"list-listeners", "libCatch2"}},
	[RFS_DOCTEST] = {"doctest", {"--list-test-cases", "--no-skip=false"}, {"list-test-cases"}},
	[RFS_LIBTEST] = {"libtest", {"--list", "--format=terse"}, {"List all tests and benchmarks"}},
};

/* The word with a backslash before each of these characters. Caller frees. */
static char *escaped(const char *word, const char *characters)
{
	char *out = xmalloc(2 * strlen(word) + 1), *end = out;

	for (; *word; word++) {
		if (strchr(characters, *word))
			*end++ = '\\';
		*end++ = *word;
	}
	*end = '\0';
	return out;
}

static struct rfs_suite_test *add(struct rfs_suite_tests *tests, const char *suite, const char *name,
				  const char *program, const char *option, const char *value)
{
	struct rfs_suite_test *test = rfs_suite_tests_add(tests, suite, name);
	char *word = xasprintf("%s%s", option, value);

	test->in_suite = true;
	rfs_words_add(&test->words, program);
	rfs_words_add(&test->words, word);
	free(word);
	return test;
}

static void read_googletest(const char *text, const char *program, struct rfs_suite_tests *tests)
{
	struct rfs_gtest_list list = {0};

	rfs_gtest_list_parse(text, &list);
	for (size_t i = 0; i < list.n; i++) {
		const char *dot = strchr(list.names[i], '.');
		char *suite = xstrndup(list.names[i], (size_t)(dot - list.names[i]));

		add(tests, suite, dot + 1, program, "--gtest_filter=", list.names[i]);
		free(suite);
	}
	rfs_gtest_list_release(&list);
}

/* Names in lines. Those of doctest are between two lines of '='. */
static void read_names(enum rfs_framework framework, const char *line, const char *program, const char *suite,
		       struct rfs_suite_tests *tests)
{
	char *name = xstrdup(line), *value, *kind;

	switch (framework) {
	case RFS_DOCTEST:
		value = escaped(name, ",\\");
		add(tests, suite, name, program, "--test-case=", value);
		free(value);
		break;
	case RFS_LIBTEST:
		kind = strrchr(name, ':');
		if (kind && strcmp(kind, ": test") == 0) {
			struct rfs_suite_test *test;

			*kind = '\0';
			test = add(tests, suite, name, program, "", name);
			rfs_words_add(&test->words, "--exact");
			/* the harness would start a thread for the test */
			rfs_words_add(&test->words, "--test-threads=1");
		}
		break;
	default:
		value = escaped(name, ",[]\\");
		add(tests, suite, name, program, "", value);
		free(value);
	}
	free(name);
}

void rfs_read_framework(enum rfs_framework framework, const char *text, const char *program, const char *suite,
			struct rfs_suite_tests *tests)
{
	unsigned rules = 0;

	if (framework == RFS_GOOGLETEST) {
		read_googletest(text, program, tests);
		return;
	}
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *begin = line + (framework == RFS_DOCTEST ? 0 : strspn(line, " "));
		size_t n = strcspn(begin, "\r\n");
		char *name = xstrndup(begin, n);

		if (framework == RFS_DOCTEST && strncmp(name, "=====", 5) == 0)
			rules++;
		else if (n && (framework != RFS_DOCTEST || rules == 1))
			read_names(framework, name, program, suite, tests);
		free(name);
	}
}
