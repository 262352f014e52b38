/* minimise_test.c - the search for the choices that a failure needs. */
#include "supervisor/campaign/decisions/minimise.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>

#include "policy/samplers/schedule.h"
#include "supervisor/record/run_result.h"

TestSuite(minimise, .timeout = 20);

struct search {
	uint64_t needed[3]; /* the members `at` of the choices without which the failure does not show */
	size_t n_needed;
	uint64_t runs, most;
};

static bool test_shows(void *arg, const struct rfs_choices *choices)
{
	struct search *s = arg;
	size_t found = 0;

	s->runs++;
	for (size_t i = 0; i < choices->n; i++)
		for (size_t k = 0; k < s->n_needed; k++)
			found += choices->list[i].at == s->needed[k];
	return found == s->n_needed;
}

static bool test_over(void *arg)
{
	const struct search *s = arg;

	return s->runs >= s->most;
}

static struct rfs_choices numbered(size_t n)
{
	struct rfs_directive list[64];
	struct rfs_run_result result = {.schedule = {list, n * sizeof(*list)}};

	for (size_t i = 0; i < n; i++)
		list[i] = (struct rfs_directive){.at = i};
	return rfs_choices_of(&result);
}

Test(minimise, leaves_what_is_needed)
{
	const struct search cases[] = {
		{{0}, 0, 0, 1000},
		{{0}, 1, 0, 1000},
		{{3, 40}, 2, 0, 1000},
		{{0, 31, 63}, 3, 0, 1000},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct search search = cases[i];
		const struct rfs_minimise minimise = {test_shows, test_over, &search};
		struct rfs_choices choices = numbered(64);

		rfs_minimise(&minimise, &choices);
		cr_expect_eq(choices.n, cases[i].n_needed, "case %zu: %zu choices", i, choices.n);
		for (size_t k = 0; k < choices.n && k < cases[i].n_needed; k++)
			cr_expect_eq(choices.list[k].at, cases[i].needed[k]);
		cr_expect_lt(search.runs, 200, "case %zu: %zu runs", i, (size_t)search.runs);
		free(choices.list);
	}
}

/* The failure shows with choices 2, 5 and 6, and with 2 alone: choice 5 switches away from a thread, and 6 back. */
static bool detour_shows(void *arg, const struct rfs_choices *choices)
{
	struct search *s = arg;
	bool there[8] = {false};

	s->runs++;
	for (size_t i = 0; i < choices->n; i++)
		there[choices->list[i].at] = true;
	return there[2] && there[5] == there[6];
}

Test(minimise, removes_two_choices_that_belong_together)
{
	struct search search = {.most = 1000};
	const struct rfs_minimise minimise = {detour_shows, test_over, &search};
	struct rfs_choices choices = numbered(8);

	rfs_minimise(&minimise, &choices);
	cr_assert_eq(choices.n, 1, "%zu choices", choices.n);
	cr_expect_eq(choices.list[0].at, 2);
	free(choices.list);
}

Test(minimise, ends_when_told_and_the_failure_still_shows)
{
	for (uint64_t most = 0; most < 40; most++) {
		struct search search = {{5, 50}, 2, 0, most};
		const struct rfs_minimise minimise = {test_shows, test_over, &search};
		struct rfs_choices choices = numbered(64);

		rfs_minimise(&minimise, &choices);
		cr_expect_leq(search.runs, most);
		cr_expect(test_shows(&search, &choices), "after %zu runs", (size_t)most);
		free(choices.list);
	}
}
