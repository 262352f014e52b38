/* pair_groups_test.c - which pairs are a group, and which of them goes first. */
#include "supervisor/campaign/predicted/pair_groups.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/symbols/place.h"
#include "supervisor/symbols/symbolize.h"

TestSuite(pair_groups, .timeout = 60);

/* Code whose functions have names: that of this test. */
static __attribute__((noinline)) int fills(volatile int *x)
{
	return *x += 2;
}

static __attribute__((noinline)) int looks(volatile int *x)
{
	return *x * 3;
}

static __attribute__((noinline)) int prints(volatile int *x)
{
	return *x - 5;
}

typedef int function(volatile int *x);

/* A place in the function, in the module of this test. */
static struct rfs_place place_in(function *f, unsigned offset)
{
	char path[4096] = "";
	Dl_info info;

	cr_assert(dladdr((void *)f, &info));
	cr_assert_gt(readlink("/proc/self/exe", path, sizeof(path) - 1), 0);
	return (struct rfs_place){.module = xstrdup(path), .offset = (uintptr_t)f + offset - (uintptr_t)info.dli_fbase};
}

/* A predicted pair on a block that was allocated at this place of fills(). */
static struct rfs_pair *predict(struct rfs_pair_list *pairs, function *a, unsigned at, function *b, unsigned block)
{
	struct rfs_pair *pair = rfs_pair_list_add(pairs);

	pair->predicted = true;
	for (int k = 0; k < 2; k++) {
		struct rfs_evidence *side = &pair->evidence.side[k];

		side->site = place_in(k ? b : a, at);
		side->object = (struct rfs_object){.kind = RFS_MEMORY_HEAP, .n_stack = 1};
		side->object.stack = xcalloc(1, sizeof(*side->object.stack));
		side->object.stack[0] = place_in(fills, block);
	}
	return pair;
}

Test(pair_groups, pairs_of_the_same_functions_and_memory_are_one)
{
	struct rfs_symbols *symbols = rfs_symbols_new();
	struct rfs_pair_list pairs = {0};
	struct rfs_pair *first = predict(&pairs, fills, 1, looks, 0), *turned = predict(&pairs, looks, 2, fills, 0),
			*other_block = predict(&pairs, fills, 1, looks, 4),
			*other_function = predict(&pairs, fills, 1, prints, 0), *named = rfs_pair_list_add(&pairs);

	rfs_pair_groups_make(&pairs, symbols);
	cr_expect_str_eq(first->group, turned->group);
	cr_expect_str_neq(first->group, other_block->group);
	cr_expect_str_neq(first->group, other_function->group);
	cr_expect_null(named->group, "the user has named it");
	cr_expect_eq(first->arm.member, 0);
	cr_expect_eq(turned->arm.member, 1);
	cr_expect_eq(other_block->arm.member, 0);
	cr_expect_eq(other_function->arm.member, 0);
	rfs_pair_list_release(&pairs);
	rfs_symbols_free(symbols);
}

/* Of those that had no turn yet, the one with the best prospects. What had a turn keeps its number. */
Test(pair_groups, the_best_one_goes_first)
{
	struct rfs_symbols *symbols = rfs_symbols_new();
	struct rfs_pair_list pairs = {0};
	struct rfs_pair *poor = predict(&pairs, fills, 1, looks, 0), *good = predict(&pairs, fills, 2, looks, 0), *best;

	poor->arm.rank = 3;
	good->arm.rank = 1;
	rfs_pair_groups_make(&pairs, symbols);
	cr_expect_eq(good->arm.member, 0);
	cr_expect_eq(poor->arm.member, 1);
	good->begun = true;
	best = predict(&pairs, fills, 3, looks, 0);
	rfs_pair_groups_make(&pairs, symbols);
	cr_expect_eq(good->arm.member, 0);
	cr_expect_eq(best->arm.member, 1);
	cr_expect_eq(poor->arm.member, 2);
	rfs_pair_list_release(&pairs);
	rfs_symbols_free(symbols);
}
