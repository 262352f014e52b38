/* library_state_test.c - a proof knows each function of the C library whose data two threads must not use. */
#include "supervisor/sync/library_state.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "disasm/elf/elf.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/access/calls/library_data.h"

TestSuite(library_state, .timeout = 20);

/* out: how many such functions the library has */
static void expect_row(void *out, const char *name, rfs_addr vaddr, uint64_t size, enum rfs_symbol_type type)
{
	const struct rfs_call *calls;
	const size_t n = rfs_library_state_calls(&calls);
	size_t i = 0;

	(void)vaddr, (void)size, (void)type;
	if (!rfs_library_data_known(name))
		return;
	while (i < n && (strcmp(calls[i].name, name) != 0 || !(calls[i].flags & RFS_CALL_SHARES)))
		i++;
	cr_expect(i < n, "%s has no row", name);
	++*(size_t *)out;
}

Test(library_state, knows_each_function_that_two_threads_must_not_call)
{
	struct rfs_elf *elf;
	size_t n = 0;
	char why[256];
	Dl_info info;

	cr_assert(dladdr((void *)strtok, &info));
	cr_assert_eq(rfs_elf_open(info.dli_fname, &elf, why, sizeof(why)), 0, "%s", why);
	rfs_elf_each_symbol(elf, expect_row, &n);
	cr_expect(n > 60, "%zu functions", n);
	rfs_elf_free(elf);
}
