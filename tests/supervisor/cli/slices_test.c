/* slices_test.c - which test of a suite has the next turn, and for how long. */
#include "supervisor/cli/suite/slices.h"

#include <criterion/criterion.h>

TestSuite(slices, .timeout = 20);

Test(slices, each_test_has_a_turn_before_any_has_two)
{
	struct rfs_turn turns[] = {
		{.waits = true, .open = true, .made = 1, .untried = 9},
		{.waits = true, .open = true},
		{.waits = true, .open = true, .first = true},
		{.waits = false, .open = true, .first = true},
		{.waits = true, .open = false},
	};

	cr_expect_eq(rfs_turn_next(turns, 5), 2, "a test with an earlier finding is first");
	turns[2].made = 1;
	cr_expect_eq(rfs_turn_next(turns, 5), 1);
	turns[1].made = 1;
	cr_expect_eq(rfs_turn_next(turns, 5), 0, "then the one with the most untried predictions");
	turns[0].open = turns[1].open = turns[2].open = false;
	cr_expect_eq(rfs_turn_next(turns, 5), 5, "a test that cannot run now has no turn");
	cr_expect_eq(rfs_turn_next(turns, 0), 0);
}

Test(slices, more_runs_per_second_are_first)
{
	const struct rfs_turn turns[] = {
		{.waits = true, .open = true, .made = 1, .seconds = 2, .runs = 100},
		{.waits = true, .open = true, .made = 1, .seconds = 1, .runs = 60},
	};

	cr_expect_eq(rfs_turn_next(turns, 2), 1);
}

Test(slices, turns_share_the_budget)
{
	struct rfs_turn turns[] = {
		{.waits = true, .open = true},
		{.waits = true, .open = true},
		{.waits = true, .open = true, .made = 1, .seconds = 20},
		{.waits = true},
	};

	cr_expect_float_eq(rfs_turn_seconds(turns, 4, 0, 100, 1), 30, 1e-9, "60 percent for two first turns");
	cr_expect_float_eq(rfs_turn_seconds(turns, 4, 0, 100, 2), 60, 1e-9, "two at the same time");
	cr_expect_float_eq(rfs_turn_seconds(turns, 4, 0, 2, 1), 1, 1e-9, "not shorter than a second");
	cr_expect_float_eq(rfs_turn_seconds(turns, 4, 0, 0.5, 1), 0, 1e-9, "nothing is left");
	cr_expect_float_eq(rfs_turn_seconds(turns, 4, 2, 50, 1), 50, 1e-9, "the only later turn has the rest");
	turns[0].made = turns[1].made = 1;
	turns[0].seconds = turns[1].seconds = 4;
	cr_expect_float_eq(rfs_turn_seconds(turns, 4, 0, 30, 1), 10, 1e-9);
	cr_expect_float_eq(rfs_turn_seconds(turns, 4, 2, 30, 1), 30, 1e-9,
			   "as long as before, but not more than is left");
}
