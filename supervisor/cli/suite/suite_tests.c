/* suite_tests.c - memory of lists of tests. */
#include "supervisor/cli/suite/suite_tests.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"

static char **no_words(void)
{
	return xcalloc(1, sizeof(char *));
}

struct rfs_suite_test *rfs_suite_tests_add(struct rfs_suite_tests *tests, const char *suite, const char *name)
{
	struct rfs_suite_test *test;

	tests->list = xreallocarray(tests->list, tests->n + 1, sizeof(*tests->list));
	test = &tests->list[tests->n++];
	*test = (struct rfs_suite_test){
		.suite = xstrdup(suite),
		.name = xstrdup(name),
		.env = no_words(),
		.skips = -1,
		.errs = -1,
		.passing = no_words(),
		.failing = no_words(),
		.skipping = no_words(),
		.locks = no_words(),
		.needs = no_words(),
		.sets_up = no_words(),
		.cleans_up = no_words(),
		.after = no_words(),
	};
	return test;
}

void rfs_suite_tests_release(struct rfs_suite_tests *tests)
{
	for (size_t i = 0; i < tests->n; i++) {
		struct rfs_suite_test *test = &tests->list[i];

		free(test->suite);
		free(test->name);
		free(test->folder);
		rfs_words_free(test->words);
		rfs_words_free(test->env);
		rfs_words_free(test->passing);
		rfs_words_free(test->failing);
		rfs_words_free(test->skipping);
		rfs_words_free(test->locks);
		rfs_words_free(test->needs);
		rfs_words_free(test->sets_up);
		rfs_words_free(test->cleans_up);
		rfs_words_free(test->after);
	}
	free(tests->list);
	*tests = (struct rfs_suite_tests){0};
}

void rfs_words_add(char ***list, const char *word)
{
	size_t n = 0;

	while (*list && (*list)[n])
		n++;
	*list = xreallocarray(*list, n + 2, sizeof(**list));
	(*list)[n] = xstrdup(word);
	(*list)[n + 1] = NULL;
}

bool rfs_words_have(char *const *list, const char *word)
{
	while (*list && strcmp(*list, word) != 0)
		list++;
	return *list != NULL;
}

bool rfs_words_meet(char *const *a, char *const *b)
{
	while (*a && !rfs_words_have(b, *a))
		a++;
	return *a != NULL;
}

void rfs_words_free(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}
