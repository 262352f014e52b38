/* source_test.c - lines of source code, as reports quote them. */
#include "supervisor/symbols/source.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/supervisor/scratch.h"

TestSuite(source, .timeout = 20);

Test(source, lines)
{
	char *scratch = scratch_enter(), *line, text[400];

	snprintf(text, sizeof(text), " \ta\t= 1;  \n\nlast%0300d", 0);
	scratch_file("s", text, strlen(text), 0600);
	line = rfs_source_line("s", 1);
	cr_expect_str_eq(line, "a = 1;");
	free(line);
	line = rfs_source_line("s", 2);
	cr_expect_str_eq(line, "");
	free(line);
	line = rfs_source_line("s", 3);
	cr_expect(strlen(line) == 163 && strcmp(line + 160, "...") == 0);
	free(line);
	cr_expect_null(rfs_source_line("s", 4));
	cr_expect_null(rfs_source_line("none", 1));
	cr_expect_null(rfs_source_line("/dev/zero", 1));
	scratch_leave(scratch);
}
