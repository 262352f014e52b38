/* stubs_test.c - which part of a module with too much code a run watches. */
#include "supervisor/access/stubs.h"

#include <criterion/criterion.h>
#include <string.h>

#include "supervisor/record/run_spec.h"
#include "supervisor/state/modules.h"
#include "supervisor/state/run_state.h"
#include "tracer/module.h"

TestSuite(stubs, .timeout = 20);

#define CODE (40ul << 20)
#define STEP 4096

static bool watched(unsigned parts, uint64_t seed, uint64_t vaddr)
{
	struct rfs_run_spec spec = {.seed = seed};
	struct rfs_run run = {.spec = &spec};
	struct rfs_module_info info = {.parts = parts};
	struct rfs_module module = {.data = &info};

	return rfs_stubs_watched_part(&run, &module, vaddr);
}

Test(stubs, a_module_of_usual_size_is_watched_as_a_whole)
{
	for (uint64_t vaddr = 0; vaddr < CODE; vaddr += STEP)
		cr_assert(watched(0, vaddr, vaddr));
}

Test(stubs, runs_with_successive_seeds_watch_each_place_once)
{
	for (unsigned parts = 2; parts < 9; parts++)
		for (uint64_t vaddr = 0; vaddr < CODE; vaddr += STEP) {
			unsigned times = 0;

			for (uint64_t seed = 7; seed < 7 + parts; seed++)
				times += watched(parts, seed, vaddr);
			cr_assert_eq(times, 1, "%u parts, %#lx", parts, vaddr);
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
