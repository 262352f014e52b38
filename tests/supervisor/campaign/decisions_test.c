/* decisions_test.c - what a campaign does next, and its verdicts, for given counts. */
#include "supervisor/campaign/decisions/decisions.h"

#include <criterion/criterion.h>

#include "supervisor/report/data/report.h"

TestSuite(decisions, .timeout = 20);

Test(decisions, how_many_runs_of_a_sampler_are_next)
{
	static const struct {
		uint64_t left;
		bool settled, until_failure;
		uint64_t turn;
	} cases[] = {
		{100, false, false, 1}, {100, false, true, 1}, {100, true, false, 100}, {100, true, true, 8},
		{5, true, true, 5},	{1, false, true, 1},   {8, true, true, 8},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_eq(rfs_decide_sample_turn(cases[i].left, cases[i].settled, cases[i].until_failure),
			     cases[i].turn, "case %zu", i);
}

Test(decisions, arrivals_pass_if_a_statement_was_never_reached)
{
	static const struct {
		uint64_t confirmed, reached[2];
		bool let_pass;
	} cases[] = {
		{0, {0, 0}, true}, {0, {5, 0}, true}, {0, {0, 5}, true}, {0, {5, 5}, false}, {1, {0, 5}, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_eq(rfs_decide_let_pass(cases[i].confirmed, cases[i].reached), cases[i].let_pass, "case %zu",
			     i);
}

/* As a word: o(rder violation), p(air), a(tomicity violation), d(eadlock). */
static void expect_mix(size_t orders, size_t pairs, size_t atomicity, size_t cycles, const char *word)
{
	const size_t n[RFS_PREDICTION_KINDS] = {[RFS_PREDICTED_ORDER] = orders,
						[RFS_PREDICTED_PAIR] = pairs,
						[RFS_PREDICTED_ATOMICITY] = atomicity,
						[RFS_PREDICTED_CYCLE] = cycles};
	enum rfs_prediction_kind kinds[16];
	char mix[17] = "";

	rfs_decide_mix(n, kinds);
	for (size_t i = 0; i < orders + pairs + atomicity + cycles; i++)
		mix[i] = "opad"[kinds[i]];
	cr_expect_str_eq(mix, word);
}

Test(decisions, few_order_violations_do_not_wait_for_many_pairs)
{
	expect_mix(0, 0, 0, 0, "");
	expect_mix(1, 4, 0, 0, "opppp");
	expect_mix(2, 5, 1, 0, "oopapppp");
	expect_mix(5, 3, 2, 2, "oopadoopadop");
}

Test(decisions, pairs_whose_runs_teach_nothing_wait)
{
	static const struct {
		uint64_t confirmed, reached[2];
		bool late, wait;
	} cases[] = {
		{0, {3, 3}, false, false}, {0, {0, 3}, false, true}, {0, {3, 0}, false, true},
		{0, {3, 3}, true, true},   {1, {3, 3}, true, false}, {1, {1, 1}, false, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_eq(rfs_decide_wait(cases[i].confirmed, cases[i].reached, cases[i].late), cases[i].wait,
			     "case %zu", i);
}

Test(decisions, two_passes_if_there_are_no_pairs_or_many_accesses)
{
	static const struct {
		size_t pairs;
		uint64_t runs, accesses, steps;
		bool two;
	} cases[] = {
		{0, 0, 0, 0, true},	      {0, 3, 100, 1000000, true},    {1, 1, 800, 20, false},
		{1, 1, 5000000, 20, true},    {1, 1, 5000000, 20000, false}, {1, 3, 60000000, 3000, true},
		{1, 10, 5000000, 200, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_eq(rfs_decide_two_passes(cases[i].pairs, cases[i].runs, cases[i].accesses, cases[i].steps),
			     cases[i].two, "case %zu", i);
}

Test(decisions, verdicts)
{
	static const struct {
		struct rfs_pair_facts facts;
		enum rfs_verdict verdict;
	} cases[] = {
		{{.confirmed = 0}, RFS_VERDICT_UNCONFIRMED},
		{{.confirmed = 0, .unclear = true}, RFS_VERDICT_UNCONFIRMED},
		{{.confirmed = 1}, RFS_VERDICT_REAL},
		{{.confirmed = 9, .attributed = true}, RFS_VERDICT_HARMFUL},
		{{.confirmed = 9, .unclear = true}, RFS_VERDICT_UNCLEAR},
		{{.confirmed = 9, .use_after_free = true}, RFS_VERDICT_HARMFUL},
		{{.confirmed = 0, .use_after_free = true}, RFS_VERDICT_UNCONFIRMED},
		{{.confirmed = 9, .attributed = true, .unclear = true}, RFS_VERDICT_HARMFUL},
		{{.confirmed = 0, .calls = true}, RFS_VERDICT_UNCONFIRMED},
		{{.confirmed = 9, .calls = true}, RFS_VERDICT_UNORDERED},
		{{.confirmed = 9, .calls = true, .attributed = true}, RFS_VERDICT_HARMFUL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_eq(rfs_decide_verdict(&cases[i].facts), cases[i].verdict, "case %zu", i);
}
