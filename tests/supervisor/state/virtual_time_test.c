/* virtual_time_test.c - the date at which time starts. */
#include "supervisor/state/core/virtual_time.h"

#include <criterion/criterion.h>
#include <time.h>

#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"

TestSuite(virtual_time, .timeout = 20);

#define YEAR (365ull * 24 * 3600)
#define HOUR 3600ull

/* A date from the seed is later than that of the option, but only as much as a seed for random numbers needs. */
Test(virtual_time, starts_at_the_date_of_the_option)
{
	const struct {
		uint64_t date, start, range; /* seconds */
	} cases[] = {{0, 1577836800, 5 * YEAR}, {1795947300, 1795947300, HOUR}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct rfs_run_spec spec = {.date = cases[i].date};
		struct rfs_run run = {.spec = &spec};
		uint64_t latest = 0;

		cr_expect_eq(rfs_clock_now(&run, CLOCK_REALTIME), cases[i].start * RFS_NANOS);
		cr_expect_eq(rfs_clock_now(&run, CLOCK_MONOTONIC), 1000 * RFS_NANOS);
		for (uint64_t seed = 1; seed <= 100; seed++) {
			uint64_t after;

			rfs_clock_seed(&run, seed);
			after = rfs_clock_now(&run, CLOCK_REALTIME) - cases[i].start * RFS_NANOS;
			cr_expect_lt(after, cases[i].range * RFS_NANOS, "seed %llu", (unsigned long long)seed);
			latest = after > latest ? after : latest;
		}
		/* 100 draws are in the lower nine tenths with a probability below 3e-5 */
		cr_expect_gt(latest, cases[i].range * RFS_NANOS / 10 * 9);
	}
}
