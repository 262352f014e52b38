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
