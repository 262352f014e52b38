#include <criterion/criterion.h>
#include <math.h>

#include "policy/core/rng.h"

TestSuite(rng, .timeout = 20);

/* Expected values: the authors' xoshiro256starstar.c with state {1, 2, 3, 4}. */
Test(rng, next_is_xoshiro256starstar)
{
	const uint64_t expected[] = {11520u,
				     0u,
				     1509978240u,
				     1215971899390074240u,
				     1216172134540287360u,
				     607988272756665600u,
				     16172922978634559625u,
				     8476171486693032832u,
				     10595114339597558777u,
				     2904607092377533576u};
	struct rfs_rng rng = {{1, 2, 3, 4}};

	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		cr_expect_eq(rfs_rng_next(&rng), expected[i], "output %zu", i);
}

/* Expected values: the author's splitmix64.c with seed 0. */
Test(rng, seeding_is_splitmix64)
{
	struct rfs_rng rng;

	rfs_rng_init(&rng, 0);
	cr_expect_eq(rng.s[0], 0xe220a8397b1dcdafu);
	cr_expect_eq(rng.s[1], 0x6e789e6aa1b965f4u);
	cr_expect_eq(rng.s[2], 0x06c45d188009454fu);
	cr_expect_eq(rng.s[3], 0xf88bb8a8724c81ecu);
}

Test(rng, stream_0_is_the_seed_and_others_differ)
{
	struct rfs_rng a, b, c;

	rfs_rng_init(&a, 42);
	rfs_rng_init_stream(&b, 42, 0);
	rfs_rng_init_stream(&c, 42, 1);
	cr_expect_arr_eq(a.s, b.s, sizeof(a.s));
	cr_expect_arr_neq(a.s, c.s, sizeof(a.s));
}

Test(rng, below_1_takes_no_draw)
{
	struct rfs_rng a, b;

	rfs_rng_init(&a, 7);
	b = a;
	cr_expect_eq(rfs_rng_below(&a, 1), 0);
	cr_expect_arr_eq(a.s, b.s, sizeof(a.s));
}

/* Each value is within five standard deviations of its share. A correct generator fails once in 3.5 million checks. */
Test(rng, below_is_uniform)
{
	const uint64_t limits[] = {2, 3, 6, 7, 10};
	const int draws = 100000;
	struct rfs_rng rng;

	rfs_rng_init(&rng, 1);
	for (size_t l = 0; l < sizeof(limits) / sizeof(*limits); l++) {
		double share = 1.0 / limits[l];
		int seen[10] = {0};

		for (int i = 0; i < draws; i++) {
			uint64_t value = rfs_rng_below(&rng, limits[l]);

			cr_assert_lt(value, limits[l]);
			seen[value]++;
		}
		for (uint64_t v = 0; v < limits[l]; v++)
			cr_expect(fabs(seen[v] - draws * share) < 5 * sqrt(draws * share * (1 - share)));
	}
}

/* The limit is 3 * 2^62. A plain remainder would make the low third twice as likely as it should be. */
Test(rng, below_is_uniform_for_huge_limits)
{
	const uint64_t limit = UINT64_C(3) << 62;
	int low = 0;
	struct rfs_rng rng;

	rfs_rng_init(&rng, 2);
	for (int i = 0; i < 30000; i++) {
		uint64_t value = rfs_rng_below(&rng, limit);

		cr_assert_lt(value, limit);
		low += value < limit / 3;
	}
	cr_expect(abs(low - 10000) < 5 * 82); /* 5 sigma; sigma is sqrt(30000 * 1/3 * 2/3) = 81.6 */
}

Test(rng, chance_keeps_its_odds)
{
	int hits = 0;
	struct rfs_rng rng;

	rfs_rng_init(&rng, 3);
	for (int i = 0; i < 80000; i++)
		hits += rfs_rng_chance(&rng, 1, 8);
	cr_expect(abs(hits - 10000) < 5 * 94); /* 5 sigma; sigma is sqrt(80000 * 1/8 * 7/8) = 93.5 */
}
