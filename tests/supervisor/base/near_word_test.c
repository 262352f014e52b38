#include "supervisor/base/text/near_word.h"

#include <criterion/criterion.h>

TestSuite(near_word, .timeout = 20);

Test(near_word, distance)
{
	const struct {
		const char *a, *b;
		size_t distance;
	} cases[] = {
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"budget", "budget", 0},
		{"budgt", "budget", 1},
		{"bugdet", "budget", 1},
		{"budgets", "budget", 1},
		{"kitten", "sitting", 3},
		{"ca", "abc", 3},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_eq(rfs_edit_distance(cases[i].a, cases[i].b), cases[i].distance, "case %zu", i);
}

Test(near_word, the_nearest_candidate)
{
	size_t best = RFS_NEAR_NONE;

	cr_expect_not(rfs_near_word("seed", "stats", &best), "too far");
	cr_expect(rfs_near_word("exploer", "explore-w", &best) == false);
	cr_expect(rfs_near_word("exploer", "explore", &best));
	cr_expect_eq(best, 1);
	cr_expect_not(rfs_near_word("exploer", "explorer", &best), "as near as an earlier one");
	best = RFS_NEAR_NONE;
	cr_expect_not(rfs_near_word("x", "y", &best), "one letter is no misspelling of another");
}
