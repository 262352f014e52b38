/* trace_file_test.c - traces can be read again, and an incomplete trace is refused. */
#include "supervisor/record/trace_file.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policy/core/rng.h"
#include "tests/supervisor/scratch.h"

TestSuite(trace_file, .timeout = 60);

#define ENTRIES 20

static void write_trace(const char *path, bool stacks)
{
	struct rfs_trace_writer *writer;
	const uint64_t sites[3] = {1, 2, 3};
	char why[256] = "";

	cr_assert_eq(rfs_trace_writer_new(path, stacks, &writer, why, sizeof(why)), 0, "%s", why);
	for (unsigned i = 0; i < ENTRIES; i++) {
		const struct rfs_trace_entry entry = {.chain = i + 1, .site = i, .thread = (uint16_t)(i % 2)};

		rfs_trace_write(writer, &entry);
		if (stacks)
			rfs_trace_write_stack(writer, &(struct rfs_trace_stack){sites, i % 4, i, 8 * i});
	}
	cr_assert_neq(access(path, F_OK), 0, "it has its name before it is whole");
	cr_assert_eq(rfs_trace_writer_close(writer), 0);
}

Test(trace_file, reads_what_it_wrote)
{
	char *scratch = scratch_enter(), why[256] = "";
	struct rfs_trace_entry *entries;
	struct rfs_trace_stacks *stacks;
	struct rfs_trace_stack stack;
	size_t n;

	write_trace("t", true);
	cr_assert_eq(rfs_trace_read("t", &entries, &n, why, sizeof(why)), 0, "%s", why);
	cr_expect_eq(n, ENTRIES);
	for (size_t i = 0; i < n; i++)
		cr_expect_eq(entries[i].chain, i + 1);
	free(entries);
	stacks = rfs_trace_stacks_read("t");
	stack = rfs_trace_stack_of(stacks, 7);
	cr_expect_eq(stack.n, 3);
	cr_expect_eq(stack.sites[2], 3);
	cr_expect_eq(stack.frame, 7);
	cr_expect_eq(stack.below_cfa, 56);
	cr_expect_eq(rfs_trace_stack_of(stacks, 8).n, 0);
	cr_expect_eq(rfs_trace_stack_of(stacks, ENTRIES).n, 0);
	rfs_trace_stacks_free(stacks);
	cr_expect_null(rfs_trace_stacks_read("none"));
	cr_expect_eq(rfs_trace_stack_of(NULL, 0).n, 0);
	scratch_leave(scratch);
}

Test(trace_file, refuses_what_is_not_whole)
{
	char *scratch = scratch_enter(), why[256];
	struct rfs_trace_entry *entries;
	char bytes[8192], changed[8192];
	struct rfs_rng rng;
	FILE *file;
	size_t size, n;

	write_trace("t", false);
	file = fopen("t", "rb");
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	cr_assert(size > ENTRIES * sizeof(*entries) && size < sizeof(bytes));
	for (size_t cut = 0; cut < size; cut++) {
		scratch_file("cut", bytes, cut, 0666);
		cr_assert_eq(rfs_trace_read("cut", &entries, &n, why, sizeof(why)), -EBADMSG, "%zu of %zu bytes", cut,
			     size);
	}
	rfs_rng_init(&rng, 3);
	for (int i = 0; i < 2000; i++) {
		memcpy(changed, bytes, size);
		changed[rfs_rng_below(&rng, size)] ^= (char)(1 + rfs_rng_below(&rng, 255));
		scratch_file("changed", changed, size, 0666);
		cr_assert_eq(rfs_trace_read("changed", &entries, &n, why, sizeof(why)), -EBADMSG);
	}
	scratch_leave(scratch);
}
