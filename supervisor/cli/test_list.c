/*
 * test_list.c - compares the arguments with those that known frameworks use, and executes the program in place of
 * rfsup.
 */
#include "supervisor/cli/test_list.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/file.h"
#include "supervisor/base/variables.h"
#include "supervisor/campaign/settings/program.h"
#include "supervisor/cli/program.h"

/*
 * An option that asks for the list. `mark` is NULL if only a test framework has such an option. Otherwise it is a text
 * in each program of the framework, because other programs may give this option another meaning (xz --list, pigz -N).
 */
static const struct {
	const char *option, *mark;
} lists[] = {
	{"--gtest_list_tests", NULL},		     /* GoogleTest */
	{"--list-tests", NULL},			     /* Catch2 */
	{"--list-test-names-only", NULL},	     /* Catch2, version 2 */
	{"--list-test-cases", NULL},		     /* doctest */
	{"-ltc", "doctest"},			     /* doctest, in its output */
	{"--list_content", NULL},		     /* Boost.Test */
	{"--list", "libcriterion.so"},		     /* Criterion, the name of its library */
	{"--list", "List all tests and benchmarks"}, /* Rust's libtest, in its --help */
	{"-N", "Disable actual execution of tests"}, /* CTest, in its --help */
};

/* Whether the word is this option; "--list-tests=FORM" is also "--list-tests". */
static bool is_option(const char *word, const char *option)
{
	const size_t n = strlen(option);

	return strncmp(word, option, n) == 0 && (!word[n] || (word[n] == '=' && strncmp(option, "--", 2) == 0));
}

static bool program_has(char *const *words, const char *text)
{
	struct rfs_program program = {0};
	char why[1024];
	bool found = false;

	if (rfs_program_resolve(words, NULL, &program, why, sizeof(why)) == 0)
		found = rfs_file_has(program.path, &text, 1);
	rfs_program_release(&program);
	return found;
}

bool rfs_test_list_is_asked(char *const *words)
{
	for (size_t i = 1; words[0] && words[i]; i++)
		for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++)
			if (is_option(words[i], lists[k].option) &&
			    (!lists[k].mark || program_has(words, lists[k].mark)))
				return true;
	return false;
}

int rfs_test_list_execute(char *const *words, char *const *env)
{
	char **environment = rfs_variables_set(environ, env);

	execvpe(words[0], words, environment);
	rfs_variables_free(environment);
	return -errno;
}
