/* gtest_list.c - runs the program with --gtest_list_tests and reads its output. */
#include "supervisor/cli/campaign/gtest_list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/spawn.h"

/* A list of more than this is not read. */
#define LIST_SIZE (16u << 20)
/* The time in which the program must list its tests and end. */
#define LIST_SECONDS 60

/* GoogleTest does not run tests and suites whose names begin so; in "Instance/Suite", the part after the slash. */
static bool is_disabled(const char *name, size_t n)
{
	static const char word[] = "DISABLED_";
	const char *slash = memchr(name, '/', n);
	bool here = n >= sizeof(word) - 1 && strncmp(name, word, sizeof(word) - 1) == 0;

	return here || (slash && is_disabled(slash + 1, n - (size_t)(slash + 1 - name)));
}

/*
 * A line without indent is a suite, and ends with a dot. An indented line is a test of it. A comment, which begins with
 * '#', may follow. Other lines are output of the program.
 */
void rfs_gtest_list_parse(const char *text, struct rfs_gtest_list *out)
{
	const char *suite = NULL;
	size_t n_suite = 0;

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t indent = strspn(line, " "), n = strcspn(line + indent, " \t\r\n");
		const char *name = line + indent;

		if (!n)
			continue;
		if (!indent) {
			suite = name[n - 1] == '.' ? name : NULL;
			n_suite = n;
		} else if (suite && !is_disabled(suite, n_suite) && !is_disabled(name, n)) {
			out->names = xreallocarray(out->names, out->n + 1, sizeof(*out->names));
			out->names[out->n++] = xasprintf("%.*s%.*s", (int)n_suite, suite, (int)n, name);
		}
	}
}

void rfs_gtest_list_release(struct rfs_gtest_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct rfs_gtest_list){0};
}

char **rfs_gtest_words(char *const *words, char *option)
{
	size_t n = 0;
	char **list;

	while (words[n])
		n++;
	list = xcalloc(n + 2, sizeof(*list));
	memcpy(list, words, n * sizeof(*list));
	list[n] = option;
	return list;
}

int rfs_gtest_list(char *const *words, char *const *environment, struct rfs_gtest_list *out, char *why, size_t n)
{
	static char option[] = "--gtest_list_tests";
	char **command = rfs_gtest_words(words, option), *text = NULL;
	int status, error;

	*out = (struct rfs_gtest_list){0};
	error = rfs_spawn_read(
		&(struct rfs_spawn_read){
			.words = command, .environment = environment, .seconds = LIST_SECONDS, .max = LIST_SIZE},
		&text, &status);
	free(command);
	if (!error)
		rfs_gtest_list_parse(text, out);
	free(text);
	if (error)
		return rfs_why(why, n, error, "--gtest: '%s --gtest_list_tests' did not list tests: %s", words[0],
			       strerror(-error));
	if (!out->n)
		return rfs_why(why, n, -EINVAL,
			       "--gtest: '%s --gtest_list_tests' listed no tests; --gtest needs a GoogleTest program",
			       words[0]);
	return 0;
}
