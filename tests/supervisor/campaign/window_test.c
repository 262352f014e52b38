/* window_test.c - which part of a program a predicting run looks at if the first one was cut. */
#include "supervisor/campaign/decisions/window.h"

#include <criterion/criterion.h>

TestSuite(window, .timeout = 20);

/* Behind what was seen, inside the run, and as long as half of it. */
Test(window, is_at_a_random_place_that_nobody_has_seen)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (uint64_t seed = 0; seed < 1000; seed++) {
		const struct rfs_run_window window = rfs_decide_window(seed, 100, 1000, false),
					    again = rfs_decide_window(seed, 100, 1000, false);

		cr_assert_geq(window.from, 100);
		cr_assert_leq(window.until, 1000);
		cr_assert_eq(window.until - window.from, 50);
		cr_assert_eq(window.from, again.from);
		least = window.from < least ? window.from : least;
		most = window.from > most ? window.from : most;
	}
	cr_expect_lt(least, 150);
	cr_expect_gt(most, 900);
}

/* Threads end and objects are destroyed there. */
Test(window, the_last_run_looks_at_the_end)
{
	const struct rfs_run_window window = rfs_decide_window(7, 100, 1000, true);

	cr_expect_eq(window.from, 950);
	cr_expect_eq(window.until, RFS_WINDOW_END);
}

Test(window, has_a_length_whatever_is_known)
{
	for (uint64_t seen = 0; seen < 200; seen += 7)
		for (uint64_t whole = 0; whole < 200; whole += 9)
			for (int last = 0; last < 2; last++) {
				const struct rfs_run_window window = rfs_decide_window(seen + 3, seen, whole, last);

				cr_assert_gt(window.until, window.from);
				cr_assert_leq(window.until, RFS_WINDOW_END);
			}
}
