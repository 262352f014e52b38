/* path_test.c - file names. */
#include "supervisor/base/path.h"

#include <criterion/criterion.h>

Test(path, last_component, .timeout = 20)
{
	static const struct {
		const char *path, *name;
	} cases[] = {
		{"/usr/lib/libc.so.6", "libc.so.6"},
		{"prog", "prog"},
		{"./prog", "prog"},
		{"/", "/"},
		{"folder/", "folder/"},
		{"", ""},
		{NULL, "?"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_str_eq(rfs_base_name(cases[i].path), cases[i].name, "%s",
				 cases[i].path ? cases[i].path : "NULL");
}
