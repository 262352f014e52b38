/* cycle_test.c - which predicted deadlocks are the same. */
#include "supervisor/record/cycle.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(cycle, .timeout = 20);

static char a[] = "/a", b[] = "/b";

#define LOCK(number, module, at)                                                                                       \
	{                                                                                                              \
		.class = number, .site = { module, at }                                                                \
	}

/* Three threads: each wants the lock that the next one holds. */
static struct rfs_cycle_part ring[] = {
	{1, LOCK(1, a, 0x10), LOCK(2, a, 0x14)},
	{2, LOCK(2, a, 0x20), LOCK(3, a, 0x24)},
	{3, LOCK(3, b, 0x30), LOCK(1, b, 0x34)},
};

Test(cycle, is_the_same_wherever_it_begins)
{
	const struct rfs_cycle whole = {.parts = ring, .n = 3};

	for (size_t first = 0; first < 3; first++) {
		struct rfs_cycle_part turned[3];

		for (size_t i = 0; i < 3; i++) {
			turned[i] = ring[(first + i) % 3];
			turned[i].thread += 7; /* threads do not matter */
		}
		cr_expect_eq(rfs_cycle_compare(&whole, &(struct rfs_cycle){.parts = turned, .n = 3}), 0, "from %zu",
			     first);
	}
}

Test(cycle, differs_in_locks_places_and_order)
{
	const struct rfs_cycle whole = {.parts = ring, .n = 3};
	struct rfs_cycle_part changed[3];
	const struct rfs_cycle other = {.parts = changed, .n = 3};

	for (int what = 0; what < 5; what++) {
		for (size_t i = 0; i < 3; i++)
			changed[i] = ring[i];
		switch (what) {
		case 0:
			changed[1].wanted.class ++;
			break;
		case 1:
			changed[2].held.site.offset++;
			break;
		case 2:
			changed[2].held.site.module = a;
			break;
		case 3:
			changed[0].held.site.module = NULL;
			break;
		default:
			changed[0] = ring[1];
			changed[1] = ring[0];
			break;
		}
		cr_expect_neq(rfs_cycle_compare(&whole, &other), 0, "change %d", what);
		cr_expect_eq(rfs_cycle_compare(&whole, &other) < 0, rfs_cycle_compare(&other, &whole) > 0);
	}
	cr_expect_gt(rfs_cycle_compare(&whole, &(struct rfs_cycle){.parts = ring, .n = 2}), 0);
	cr_expect_lt(rfs_cycle_compare(&whole, &(struct rfs_cycle){.parts = ring, .n = 3, .one_thread = true}), 0);
}

Test(cycle, begins_with_the_same_thread)
{
	for (size_t first = 0; first < 3; first++) {
		struct rfs_cycle cycle = {.parts = calloc(3, sizeof(*ring)), .n = 3};

		for (size_t i = 0; i < 3; i++)
			cycle.parts[i] = ring[(first + i) % 3];
		rfs_cycle_rotate(&cycle);
		for (size_t i = 0; i < 3; i++)
			cr_expect_eq(cycle.parts[i].thread, ring[i].thread, "from %zu", first);
		free(cycle.parts);
	}
}
