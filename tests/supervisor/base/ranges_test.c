/* ranges_test.c - sets of addresses: compared with a plain array of bits. */
#include "supervisor/base/ranges.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(ranges, .timeout = 20);

#define SPACE 64u

static bool all(const bool *bits, uint64_t start, uint64_t size)
{
	for (uint64_t i = start; i < start + size; i++)
		if (!bits[i])
			return false;
	return true;
}

Test(ranges, are_what_an_array_of_bits_is)
{
	for (unsigned seed = 0; seed < 200; seed++) {
		struct rfs_ranges ranges = {0};
		bool bits[SPACE] = {false};

		srand(seed);
		for (int step = 0; step < 40; step++) {
			const uint64_t start = (unsigned)rand() % SPACE, size = (unsigned)rand() % (SPACE - start + 1);
			const bool adds = rand() % 3;

			if (adds)
				rfs_ranges_add(&ranges, start, size);
			else
				rfs_ranges_remove(&ranges, start, size);
			memset(bits + start, adds, size);
			for (uint64_t from = 0; from < SPACE; from++)
				for (uint64_t n = 1; from + n <= SPACE; n += 3)
					cr_assert_eq(rfs_ranges_have(&ranges, from, n), all(bits, from, n),
						     "seed %u, step %d: %d+%d", seed, step, (int)from, (int)n);
			for (size_t i = 1; i < ranges.n; i++)
				cr_assert_lt(ranges.list[i - 1].end, ranges.list[i].start, "ranges touch");
		}
		rfs_ranges_release(&ranges);
	}
}

Test(ranges, end_at_the_last_address)
{
	struct rfs_ranges ranges = {0};

	rfs_ranges_add(&ranges, UINT64_MAX - 4, 100);
	cr_expect(rfs_ranges_have(&ranges, UINT64_MAX - 2, 1));
	rfs_ranges_remove(&ranges, 0, UINT64_MAX);
	cr_expect_eq(ranges.n, 0);
	rfs_ranges_release(&ranges);
}
