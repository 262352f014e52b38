/* test_outcome_test.c - outcomes of sequential orders, and which other ones they allow. */
#include "supervisor/generate/search/test_outcome.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "tests/supervisor/scratch.h"

TestSuite(test_outcome, .timeout = 60);

/* The driver's file with these lines. */
static struct rfs_test_outcome taken(const char *lines)
{
	struct rfs_test_outcome outcome;

	scratch_file("results", lines, strlen(lines), 0600);
	cr_assert(rfs_test_outcome_take("results", &outcome));
	cr_expect_neq(access("results", F_OK), 0, "the file is removed");
	return outcome;
}

static bool allows(const struct rfs_test_outcomes *outcomes, const char *lines)
{
	struct rfs_test_outcome outcome = taken(lines);
	bool allowed = rfs_test_outcomes_allow(outcomes, &outcome);

	rfs_test_outcome_release(&outcome);
	return allowed;
}

static void add(struct rfs_test_outcomes *outcomes, const char *lines)
{
	struct rfs_test_outcome outcome = taken(lines);

	rfs_test_outcomes_add(outcomes, &outcome);
	rfs_test_outcome_release(&outcome);
}

Test(test_outcome, only_whole_outcomes_of_an_order_are_allowed)
{
	struct rfs_test_outcomes outcomes = {0};
	struct rfs_test_outcome none;
	char *folder = scratch_enter();

	cr_expect_not(rfs_test_outcome_take("results", &none));
	add(&outcomes, "1\n\"a\"\n");
	add(&outcomes, "2\n\"b\"\n");
	add(&outcomes, "1\n\"a\"\n");
	cr_expect_eq(outcomes.n, 2);
	cr_expect(allows(&outcomes, "1\n\"a\"\n"));
	cr_expect(allows(&outcomes, "2\n\"b\"\n"));
	cr_expect_not(allows(&outcomes, "1\n\"b\"\n"));
	cr_expect_not(allows(&outcomes, "1\n"));
	rfs_test_outcomes_release(&outcomes);
	scratch_leave(folder);
}

Test(test_outcome, the_first_values_can_be_left_out)
{
	struct rfs_test_outcomes outcomes = {0};
	char *folder = scratch_enter();

	add(&outcomes, "1\n5\n");
	rfs_test_outcomes_ignore(&outcomes, 1);
	add(&outcomes, "2\n6\n");
	cr_expect(allows(&outcomes, "7\n5\n"));
	cr_expect_not(allows(&outcomes, "1\n7\n"));
	rfs_test_outcomes_release(&outcomes);
	scratch_leave(folder);
}

Test(test_outcome, unstable_values_are_not_compared)
{
	struct rfs_test_outcomes outcomes = {0};
	struct rfs_test_outcome again;
	char *folder = scratch_enter();

	add(&outcomes, "1\n7000\nnew 1\n");
	again = taken("1\n9000\nnew 1\n");
	rfs_test_outcomes_mark(&outcomes, &again);
	rfs_test_outcome_release(&again);
	cr_expect(allows(&outcomes, "1\n5000\nnew 1\n"));
	cr_expect_not(allows(&outcomes, "2\n7000\nnew 1\n"));
	cr_expect_not(allows(&outcomes, "1\n7000\nunreadable\n"));
	add(&outcomes, "1\n7000\nunreadable\n");
	cr_expect(allows(&outcomes, "1\n7000\nnew 2\n"), "a sequential order gives freed memory");
	rfs_test_outcomes_release(&outcomes);
	scratch_leave(folder);
}
