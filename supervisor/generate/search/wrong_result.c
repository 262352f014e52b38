/* wrong_result.c - compares an outcome with those of the sequential orders, and keeps both for the report. */
#include "supervisor/generate/search/wrong_result.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"

/* The values that are compared. */
static struct rfs_test_outcome stable(const struct rfs_test_outcomes *outcomes, const struct rfs_test_outcome *outcome)
{
	struct rfs_test_outcome kept = {.values = xcalloc(outcome->n + 1, sizeof(*kept.values))};

	for (size_t i = 0; i < outcome->n; i++)
		if (!outcomes->unstable[i])
			kept.values[kept.n++] = xstrdup(outcome->values[i]);
	return kept;
}

static bool wrong_result_is_same(const struct rfs_test_outcome *a, const struct rfs_test_outcome *b)
{
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->values[i], b->values[i]) != 0)
			return false;
	return true;
}

static void add_possible(struct rfs_wrong_result *result, struct rfs_test_outcome outcome)
{
	for (size_t i = 0; i < result->n_possible; i++)
		if (wrong_result_is_same(&result->possible[i], &outcome)) {
			rfs_test_outcome_release(&outcome);
			return;
		}
	result->possible[result->n_possible++] = outcome;
}

void rfs_wrong_result_make(const struct rfs_sequence *test, const struct rfs_library *library,
			   const struct rfs_test_outcomes *possible, const struct rfs_test_outcome *observed,
			   struct rfs_wrong_result *out)
{
	struct rfs_observation *all;
	size_t n = rfs_observations(test, library, &all);

	*out = (struct rfs_wrong_result){.observed = stable(possible, observed)};
	out->observations = xcalloc(n + 1, sizeof(*out->observations));
	for (size_t i = 0; i < n && i < possible->n_values; i++)
		if (!possible->unstable[i])
			out->observations[out->n++] = all[i];
	out->possible = xcalloc(possible->n + 1, sizeof(*out->possible));
	for (size_t i = 0; i < possible->n; i++)
		add_possible(out, stable(possible, &possible->list[i]));
	free(all);
}

void rfs_wrong_result_release(struct rfs_wrong_result *result)
{
	for (size_t i = 0; i < result->n_possible; i++)
		rfs_test_outcome_release(&result->possible[i]);
	rfs_test_outcome_release(&result->observed);
	free(result->possible);
	free(result->observations);
	*result = (struct rfs_wrong_result){0};
}
