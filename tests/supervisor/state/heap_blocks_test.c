/* heap_blocks_test.c - which block contains an address. */
#include "supervisor/state/core/heap_blocks.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "supervisor/state/core/run_state.h"

TestSuite(heap_blocks, .timeout = 30);

static struct rfs_block *add(struct rfs_run *run, rfs_addr address, uint64_t size)
{
	struct rfs_block *block = rfs_heap_add(run, address, size);

	block->order = run->heap.next_order++;
	block->freed = false;
	return block;
}

Test(heap_blocks, blocks_of_all_sizes_are_found_at_both_ends)
{
	struct rfs_run run = {0};
	rfs_addr address = 0x5000;

	for (uint64_t size = 1; size < 1ull << 44; size = 3 * size + 1) {
		const struct rfs_block *block = add(&run, address, size);

		cr_expect_eq(rfs_heap_block(&run, address), block);
		cr_expect_eq(rfs_heap_block(&run, address + size / 2), block);
		cr_expect_eq(rfs_heap_block(&run, address + size - 1), block);
		cr_expect_null(rfs_heap_block(&run, address + size));
		cr_expect_null(rfs_heap_block(&run, address - 1));
		address += size + 0x1230;
	}
	rfs_heap_release(&run);
}

Test(heap_blocks, a_block_of_no_bytes_contains_its_address)
{
	struct rfs_run run = {0};
	const struct rfs_block *block = add(&run, 0x7000, 0);

	cr_expect_eq(rfs_heap_block(&run, 0x7000), block);
	cr_expect_null(rfs_heap_block(&run, 0x7001));
	rfs_heap_release(&run);
}

Test(heap_blocks, a_live_block_goes_before_a_freed_one_and_a_later_one_before_an_earlier_one)
{
	struct rfs_run run = {0};
	struct rfs_block *outer = add(&run, 0x10000, 0x9000), *inner = add(&run, 0x12000, 0x100);

	outer->freed = true;
	cr_expect_eq(rfs_heap_block(&run, 0x12010), inner);
	inner->freed = true;
	cr_expect_eq(rfs_heap_block(&run, 0x12010), inner);
	outer->freed = false;
	cr_expect_eq(rfs_heap_block(&run, 0x12010), outer);
	rfs_heap_release(&run);
}

Test(heap_blocks, a_block_that_begins_where_another_began_takes_its_place)
{
	struct rfs_run run = {0};
	const struct rfs_block *block;

	add(&run, 0x10000, 0x9000);
	block = add(&run, 0x10000, 0x20);
	cr_expect_eq(rfs_heap_block(&run, 0x1001f), block);
	cr_expect_null(rfs_heap_block(&run, 0x10020));
	cr_expect_eq(rfs_heap_known_size(&run, 0x10000), 0x20);
	rfs_heap_release(&run);
}

Test(heap_blocks, a_copy_has_the_same_blocks)
{
	struct rfs_run run = {0}, copy = {0};

	add(&run, 0x10000, 0x9000);
	rfs_heap_copy(&run, &copy);
	cr_assert_not_null(rfs_heap_block(&copy, 0x18000));
	cr_expect_eq(rfs_heap_block(&copy, 0x18000)->address, 0x10000);
	cr_expect_neq(rfs_heap_block(&copy, 0x18000), rfs_heap_block(&run, 0x18000));
	rfs_heap_release(&run);
	rfs_heap_release(&copy);
}
