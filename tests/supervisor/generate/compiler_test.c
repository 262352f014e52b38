#include "supervisor/generate/library/compiler.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(compiler, .timeout = 20);

/* The language is not in it, because it would be that of the library's file too. */
Test(compiler, a_command_is_for_a_shell)
{
	const char *const words[] = {"-o", "PROGRAM", "it's.cc", "", "./lib.so", NULL};
	struct rfs_compiler compiler;
	char why[256], *command;

	unsetenv("CC");
	unsetenv("CXX");
	cr_assert_eq(rfs_compiler_new("-x c++ '-DTEXT=\"a b\"' -I/usr/include", &compiler, why, sizeof(why)), 0);
	rfs_compiler_choose_language(&compiler, NULL, 0);
	command = rfs_compiler_command(&compiler, words);
	cr_expect_str_eq(command, "g++ '-DTEXT=\"a b\"' -I/usr/include -o PROGRAM 'it'\\''s.cc' '' ./lib.so");
	free(command);
	rfs_compiler_release(&compiler);
}

/* ccache would not write the second list of functions, because it keeps object files only. */
Test(compiler, runs_without_a_cache)
{
	const char *const words[] = {"-c", "echo cache $CCACHE_DISABLE >&2", NULL};
	struct rfs_compiler compiler;
	char why[256], *said;

	setenv("CC", "sh", 1);
	setenv("CCACHE_DISABLE", "", 1);
	cr_assert_eq(rfs_compiler_new(NULL, &compiler, why, sizeof(why)), 0, "%s", why);
	cr_assert_eq(rfs_compiler_run(&compiler, words, &said), 0);
	cr_expect_str_eq(said, "cache 1\n");
	free(said);
	rfs_compiler_release(&compiler);
}
