/* predict_test.c - the policies of predicting runs, and how long the first runs of a pair wait. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/campaign/phases/predict.h"
#include "supervisor/campaign/predicted/confirm.h"

TestSuite(predict);

Test(predict, long_runs_have_threads_that_stay)
{
	static const struct {
		uint64_t measured, number;
		const char *policy, *options;
	} cases[] = {
		{0, 0, "rff", NULL},
		{9999, 0, "rff", NULL},
		{9999, 1, "sweep", "base=2"},
		{9999, 3, "random", NULL},
		{9999, 100, "random", NULL},
		{10000, 0, "random", "stay=10"},
		{99999, 1, "random", "stay=10"},
		{100000, 2, "random", "stay=100"},
		{1000000, 0, "random", "stay=1000"},
		{UINT64_MAX, 3, "random", "stay=1000"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *options;
		const struct rfs_policy_ops *policy = rfs_predict_policy(cases[i].measured, cases[i].number, &options);

		cr_expect_str_eq(policy->name, cases[i].policy, "%zu", i);
		cr_expect(options == cases[i].options ||
				  (options && cases[i].options && strcmp(options, cases[i].options) == 0),
			  "%zu", i);
	}
}

Test(predict, racefuzzer_takes_the_option_of_hasty_runs)
{
	const struct rfs_policy_args args = {.seed = 1, .options = RFS_CONFIRM_HASTY};
	void *state;

	cr_expect_not(rfs_confirm_is_hasty(0));
	cr_expect_not(rfs_confirm_is_hasty(499));
	cr_expect(rfs_confirm_is_hasty(500));
	cr_expect(rfs_confirm_is_hasty(9999));
	cr_expect_not(rfs_confirm_is_hasty(10000));
	cr_assert_eq(rfs_confirm_racefuzzer()->init(&state, &args), 0);
	rfs_confirm_racefuzzer()->fini(state);
}
