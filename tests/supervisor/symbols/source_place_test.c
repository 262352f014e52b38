/* source_place_test.c - which code is the user's. */
#include "supervisor/symbols/source_place.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <string.h>

TestSuite(source_place, .timeout = 20);

Test(source_place, headers_and_libraries_are_foreign)
{
	const struct {
		const char *module, *file;
		bool foreign;
	} cases[] = {
		{"/opt/mine/prog", "/opt/mine/prog.c", false},
		{"/opt/mine/prog", NULL, false},
		{"/usr/bin/pigz", NULL, false},
		{"/usr/bin/pigz", "pigz.c", false},
		{"/opt/mine/prog", "/usr/include/c++/12/bits/shared_ptr.h", true},
		{"/opt/mine/prog", "/opt/gcc-13/include/c++/13.1/thread", true},
		{"/opt/mine/prog", "/rustc/90b35a623/library/core/src/ptr.rs", true},
		{"/lib/x86_64-linux-gnu/libc.so.6", NULL, true},
		{"/lib/x86_64-linux-gnu/libc.so.6", "./nptl/pthread_create.c", true},
		{"/usr/lib/x86_64-linux-gnu/libglib-2.0.so.0", NULL, true},
		{"[vdso]", NULL, true},
		{NULL, NULL, true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_source_place place = {.module = (char *)cases[i].module, .file = (char *)cases[i].file};

		cr_expect_eq(rfs_source_place_is_foreign(&place), cases[i].foreign, "case %zu", i);
	}
}

Test(source_place, the_first_own_frame)
{
	struct rfs_source_stack stack = {0};

	cr_expect_eq(rfs_source_stack_first_own(&stack), 0);
	rfs_source_stack_add(&stack)->module = strdup("/lib/libc.so.6");
	cr_expect_eq(rfs_source_stack_first_own(&stack), 0);
	rfs_source_stack_add(&stack)->module = strdup("/opt/mine/prog");
	rfs_source_stack_add(&stack)->module = strdup("/opt/mine/prog");
	cr_expect_eq(rfs_source_stack_first_own(&stack), 1);
	rfs_source_stack_release(&stack);
}
