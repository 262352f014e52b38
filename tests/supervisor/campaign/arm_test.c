/* Which arm gets how many runs, and how a budget is divided, for given counts and seconds. */
#include "supervisor/campaign/decisions/arm.h"

#include <criterion/criterion.h>

TestSuite(arm, .timeout = 20);

Test(arm, turns)
{
	static const struct {
		struct rfs_arm arm;
		unsigned round;
		uint64_t turn, mean;
	} cases[] = {
		{{.planned = 100}, 1, 3, 0},
		{{.planned = 2}, 1, 2, 0},
		{{.planned = 0}, 1, 0, 0},
		{{.planned = 100, .done = 3}, 2, 8, 0},
		{{.planned = 100, .done = 3, .news = 1}, 2, 16, 0},
		{{.planned = 100, .done = 3, .news = 9}, 2, 16, 0},
		{{.planned = 100, .done = 3, .quiet = 1}, 2, 8, 0},
		{{.planned = 100, .done = 11, .quiet = 2}, 3, 8, 0},
		{{.planned = 100, .done = 11}, 3, 16, 0},
		{{.planned = 100, .done = 100}, 3, 0, 0},
		{{.planned = 1000, .done = 11}, 6, 128, 0},
		{{.planned = 1000000, .done = 11}, 200, 999989, 0},
		/* a decision is due at half the runs */
		{{.planned = 100, .done = 40, .half = 50}, 5, 10, 0},
		{{.planned = 100, .done = 50, .half = 50}, 5, 50, 0},
		{{.planned = 4, .half = 2}, 1, 2, 0},
		{{.planned = 1, .half = 1}, 1, 1, 0},
		/* others come first */
		{{.planned = 100, .from = 4}, 1, 0, 0},
		{{.planned = 100, .from = 4}, 3, 0, 0},
		/* the first turn is short in any round */
		{{.planned = 100, .from = 4}, 4, 3, 0},
		/* long runs make the turn shorter, short ones do not make it longer */
		{{.planned = 100, .done = 10, .stops = 1000}, 3, 16, 100},
		{{.planned = 100, .done = 10, .stops = 4000}, 3, 4, 100},
		{{.planned = 100, .done = 10, .stops = 900000}, 3, 2, 100},
		{{.planned = 100, .done = 10, .stops = 900000, .quiet = 2}, 3, 1, 100},
		{{.planned = 100, .done = 10, .stops = 10}, 3, 16, 100},
		{{.planned = 100, .done = 10, .stops = 4000}, 3, 16, 0},
		/* in round 1, each arm has its runs */
		{{.planned = 100, .done = 1, .stops = 4000}, 1, 3, 100},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_eq(rfs_arm_turn(&cases[i].arm, cases[i].round, cases[i].mean), cases[i].turn,
			     "case %zu: %llu", i,
			     (unsigned long long)rfs_arm_turn(&cases[i].arm, cases[i].round, cases[i].mean));
}

/* Nobody starves and nothing is cut: whatever the arms bring, each ends with its planned runs. */
Test(arm, each_arm_gets_all_its_runs)
{
	for (unsigned brings = 0; brings < 2; brings++) {
		struct rfs_arm arm = {.planned = 100, .half = 50};
		unsigned round = 1;

		for (; rfs_arm_left(&arm); round++) {
			cr_assert_gt(rfs_arm_turn(&arm, round, 0), 0);
			arm.done += rfs_arm_turn(&arm, round, 0);
			arm.news = brings;
			rfs_arm_end_turn(&arm);
			cr_expect_eq(arm.news, 0);
			cr_expect_eq(arm.quiet, brings ? 0 : round);
		}
		cr_expect_eq(arm.done, 100);
		cr_expect_eq(arm.turns, round - 1);
		cr_expect_leq(round, 8);
	}
}

Test(arm, own_code_and_overlapping_pairs_go_first)
{
	static const struct rfs_arm_prospect in_order[] = {
		{0, true, true, RFS_STAKE_FREE},    {0, true, true, RFS_STAKE_POINTER},
		{0, true, true, RFS_STAKE_OTHER},   {0, true, true, RFS_STAKE_COUNT},
		{0, false, true, RFS_STAKE_FREE},   {0, false, true, RFS_STAKE_COUNT},
		{0, true, false, RFS_STAKE_FREE},   {0, false, false, RFS_STAKE_OTHER},
		{1, true, true, RFS_STAKE_POINTER}, {1, false, true, RFS_STAKE_FREE},
		{1, true, false, RFS_STAKE_OTHER},  {1, false, false, RFS_STAKE_OTHER},
		{2, true, true, RFS_STAKE_OTHER},   {2, false, true, RFS_STAKE_OTHER},
		{2, true, false, RFS_STAKE_OTHER},  {2, false, false, RFS_STAKE_COUNT},
	};

	for (size_t i = 0; i < sizeof(in_order) / sizeof(*in_order); i++) {
		if (i) {
			struct rfs_arm a = {.rank = rfs_arm_rank(&in_order[i - 1])},
				       b = {.rank = rfs_arm_rank(&in_order[i])};

			cr_expect_lt(rfs_arm_compare(&a, &b), 0);
			cr_expect_gt(rfs_arm_compare(&b, &a), 0);
			/* an arm that had fewer turns goes before all others */
			a.turns = 1;
			cr_expect_gt(rfs_arm_compare(&a, &b), 0);
		}
	}
}

Test(arm, the_first_of_each_group_goes_before_the_others)
{
	struct rfs_arm first = {.rank = 11}, second = {.member = 1};

	cr_expect_lt(rfs_arm_compare(&first, &second), 0);
	cr_expect_gt(rfs_arm_compare(&second, &first), 0);
	first.turns = 1;
	cr_expect_gt(rfs_arm_compare(&first, &second), 0);
}

Test(arm, pairs_that_may_be_impossible_come_after_the_others)
{
	struct rfs_arm late = {.late = true}, other = {.member = 1, .rank = 11};

	cr_expect_gt(rfs_arm_compare(&late, &other), 0);
	cr_expect_lt(rfs_arm_compare(&other, &late), 0);
	/* but before any of them has its second turn */
	other.turns = 1;
	cr_expect_lt(rfs_arm_compare(&late, &other), 0);
}

/* If runs that stop at all predicted places are long, most runs do not. */
Test(arm, long_and_short_runs_of_samplers_share_the_time)
{
	cr_expect_eq(rfs_arm_places_every(75000, 1800), 41);
	cr_expect_eq(rfs_arm_places_every(75000, 50000), 1);
	/* short in any case; or the other kind is not known */
	cr_expect_eq(rfs_arm_places_every(5000, 10), 1);
	cr_expect_eq(rfs_arm_places_every(75000, 0), 1);
	cr_expect_eq(rfs_arm_places_every(0, 0), 1);
}

Test(arm, samplers_share_the_runs)
{
	static const struct {
		uint64_t runs, shares[4];
	} cases[] = {
		{200, {50, 50, 50, 50}},
		{10, {3, 3, 2, 2}},
		{1, {1, 0, 0, 0}},
		{0, {0, 0, 0, 0}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (size_t k = 0; k < 4; k++)
			cr_expect_eq(rfs_arm_share(cases[i].runs, k, 4), cases[i].shares[k], "%zu, %zu", i, k);
	cr_expect(rfs_arm_predicts(0, false));
	cr_expect_not(rfs_arm_predicts(1, false));
	cr_expect(rfs_arm_predicts(16, false));
	cr_expect_not(rfs_arm_predicts(0, true));
	cr_expect(rfs_arm_predicts(16, true));
}

Test(arm, a_third_of_the_budget_is_for_exploring)
{
	struct rfs_budget budget = {.whole = 60, .spent = 15, .exploring = true};
	double before;

	cr_expect_leq(rfs_budget_pairs(&budget), 60 - 15 - 20);
	cr_expect_gt(rfs_budget_pairs(&budget), 0);
	cr_expect_geq(rfs_budget_explore(&budget), 20);
	/* what exploring has used is no longer reserved; without runs left, nothing is */
	before = rfs_budget_pairs(&budget);
	budget.explored = 5;
	cr_expect_float_eq(rfs_budget_pairs(&budget), before + 5, 1e-6);
	budget.explored = 0;
	budget.exploring = false;
	cr_expect_float_eq(rfs_budget_pairs(&budget), rfs_budget_explore(&budget), 1e-6);
}

/* The phases before took long, and exploring has had nothing yet. */
Test(arm, predictions_get_some_time_although_a_third_is_not_left_for_exploring)
{
	const struct rfs_budget late = {.whole = 60, .spent = 40, .began = 40, .exploring = true},
				later = {.whole = 60, .spent = 44, .began = 40, .exploring = true},
				over = {.whole = 60, .spent = 59, .began = 59, .exploring = true};

	cr_expect_lt(rfs_budget_explore(&late), 20);
	cr_expect_float_eq(rfs_budget_pairs(&late), rfs_budget_explore(&late) / 4, 1e-6);
	/* it is a quarter of what was left at the beginning; a quarter of what is left now would never end */
	cr_expect_leq(rfs_budget_pairs(&later), 0);
	cr_expect_leq(rfs_budget_pairs(&over), 0);
}

Test(arm, samplers_and_the_pairs_that_follow_have_equal_shares)
{
	struct rfs_budget budget = {.whole = 60, .spent = 10};
	const double all = rfs_budget_explore(&budget), share = rfs_budget_sampler(&budget, 3);

	cr_expect_float_eq(share, all / 3, 1e-6);
	/* what the first one has left is for the others */
	budget.spent += share / 2;
	cr_expect_float_eq(rfs_budget_sampler(&budget, 2), (all - share / 2) / 2, 1e-6);
	cr_expect_float_eq(rfs_budget_sampler(&budget, 1), rfs_budget_explore(&budget), 1e-6);
}

Test(arm, replays_get_a_part_that_grows_with_what_was_found)
{
	struct rfs_budget none = {.whole = 60}, some = {.whole = 60, .replays = 10},
			  many = {.whole = 60, .replays = 900};

	cr_expect_gt(rfs_budget_explore(&none), rfs_budget_explore(&some));
	cr_expect_gt(rfs_budget_explore(&some), rfs_budget_explore(&many));
	/* even then all parts have some time */
	many.spent = rfs_budget_baseline(60) + rfs_budget_measure(60) + rfs_budget_predict(60);
	many.exploring = true;
	cr_expect_gt(rfs_budget_pairs(&many), 0);
	cr_expect_leq(rfs_budget_end(60), 60);
}

/* For a slow program, one complete run shows more than several that end too early. */
Test(arm, long_runs_get_more_of_the_budget)
{
	cr_expect_float_eq(rfs_budget_predicting_run(12, 2, false), 4, 1e-6);
	cr_expect_gt(rfs_budget_predicting_run(12, 2, true), 10);
	cr_expect_lt(rfs_budget_predicting_run(12, 2, true), 12);
	cr_expect_float_eq(rfs_budget_predicting_run(12, 0, true), 12, 1e-6);
	cr_expect_gt(rfs_budget_predicting_run(-3, 1, true), 0);
	cr_expect_gt(rfs_budget_predicting_run(-3, 1, false), 0);
	cr_expect_gt(rfs_budget_run(60, true), rfs_budget_run(60, false));
	/* several of them fit into the time for exploring */
	cr_expect_leq(rfs_budget_run(60, true), 20);
}
