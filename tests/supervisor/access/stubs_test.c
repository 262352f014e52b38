/* stubs_test.c - which part of a module with too much code a run watches. */
#include "supervisor/access/stubs.h"

#include <criterion/criterion.h>
#include <string.h>

#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"

TestSuite(stubs, .timeout = 20);

#define CODE (40ul << 20)
#define STEP 4096

static bool watched(unsigned parts, uint64_t seed, uint64_t vaddr)
{
	struct rfs_run_spec spec = {.seed = seed};
	struct rfs_run run = {.spec = &spec};
	const struct rfs_module_info info = {.parts = parts};

	return rfs_stubs_is_in_part(&run, &info, vaddr);
}

Test(stubs, a_module_of_usual_size_is_watched_as_a_whole)
{
	for (uint64_t vaddr = 0; vaddr < CODE; vaddr += STEP)
		cr_assert(watched(0, vaddr, vaddr));
}

Test(stubs, each_two_places_are_watched_together_in_some_run)
{
	for (uint64_t one = 0; one < CODE; one += 97 * STEP)
		for (uint64_t other = one; other < CODE; other += 101 * STEP) {
			unsigned together = 0;

			for (uint64_t seed = 1; seed <= 1000; seed++)
				together += watched(5, seed, one) && watched(5, seed, other);
			cr_assert_gt(together, 10, "%#lx and %#lx", one, other);
		}
}

Test(stubs, the_parts_have_about_the_same_size)
{
	uint64_t n = 0;

	for (uint64_t vaddr = 0; vaddr < CODE; vaddr += STEP)
		n += watched(7, 1, vaddr);
	cr_expect_gt(n, CODE / STEP / 8);
	cr_expect_lt(n, CODE / STEP / 6);
}
