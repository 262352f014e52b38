/* cycle_test.c - which predicted deadlocks are the same. */
#include "supervisor/record/cycle.h"

#include <criterion/criterion.h>
#include <stddef.h>

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
		cr_expect(rfs_cycle_equal(&whole, &(struct rfs_cycle){.parts = turned, .n = 3}), "from %zu", first);
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
		cr_expect(!rfs_cycle_equal(&whole, &other), "change %d", what);
	}
	cr_expect(!rfs_cycle_equal(&whole, &(struct rfs_cycle){.parts = ring, .n = 2}));
	cr_expect(!rfs_cycle_equal(&whole, &(struct rfs_cycle){.parts = ring, .n = 3, .one_thread = true}));
}
