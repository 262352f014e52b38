/* significance_test.c - Fisher's test and Holm's correction, compared with published examples and with R. */
#include "supervisor/campaign/decisions/significance.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(significance, .timeout = 20);

/* The first rows: Fisher's lady tasting tea (3 of 4 and 4 of 4 cups), and fisher.test() of R. */
Test(significance, fishers_test_gives_the_known_values)
{
	static const struct {
		uint64_t hits[2], runs[2];
		double p;
	} cases[] = {
		{{3, 1}, {4, 4}, 0.48571429},
		{{4, 0}, {4, 4}, 0.028571429},
		{{1, 9}, {12, 12}, 0.0027594562},
		{{12, 0}, {12, 12}, 7.3960230e-07},
		{{20, 0}, {20, 20}, 1.4508891e-11},
		{{6, 0}, {12, 12}, 0.013729977},
		{{5, 0}, {20, 20}, 0.047124047},
		{{7, 0}, {20, 20}, 0.008316008316},
		{{0, 7}, {20, 20}, 0.008316008316},
		{{4, 5}, {20, 20}, 1},
		{{0, 0}, {20, 20}, 1},
		{{20, 20}, {20, 20}, 1},
		{{0, 0}, {0, 20}, 1},
		{{0, 5}, {0, 20}, 1},
		{{10, 1}, {20, 3}, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double p = rfs_fisher(cases[i].hits, cases[i].runs);

		cr_expect_lt(fabs(p - cases[i].p), 1e-6 * cases[i].p + 1e-12, "case %zu: %.9g", i, p);
	}
}

/* p.adjust(p, "holm") of R. */
Test(significance, holms_correction_keeps_the_order)
{
	double p[] = {0.01, 0.04, 0.03, 0.005}, wanted[] = {0.03, 0.06, 0.06, 0.02};
	double many[] = {0.9, 0.001, 0.001, 0.5}, of_many[] = {1, 0.004, 0.004, 1}, one = 0.009;

	rfs_holm(p, 4);
	rfs_holm(many, 4);
	rfs_holm(&one, 1);
	rfs_holm(NULL, 0);
	for (size_t i = 0; i < 4; i++) {
		cr_expect_float_eq(p[i], wanted[i], 1e-12, "%zu: %g", i, p[i]);
		cr_expect_float_eq(many[i], of_many[i], 1e-12, "%zu: %g", i, many[i]);
	}
	cr_expect_eq(one, 0.009);
}
