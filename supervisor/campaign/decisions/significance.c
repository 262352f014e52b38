/* significance.c - sums of hypergeometric probabilities, by logarithms. */
#include "supervisor/campaign/decisions/significance.h"

#include <math.h>
#include <stdlib.h>

#include "supervisor/base/alloc.h"

/* Tables that are equally probable may differ by rounding. */
#define ROUNDING (1 + 1e-7)

static double log_choose(uint64_t n, uint64_t k)
{
	return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

/* The probability of `hits` hits among the first kind of runs, if the sums of the table are given (hypergeometric). */
static double chance(uint64_t hits, uint64_t all_hits, const uint64_t runs[2])
{
	return exp(log_choose(runs[0], hits) + log_choose(runs[1], all_hits - hits) -
		   log_choose(runs[0] + runs[1], all_hits));
}

double rfs_fisher(const uint64_t hits[2], const uint64_t runs[2])
{
	uint64_t all = hits[0] + hits[1];
	uint64_t least = all > runs[1] ? all - runs[1] : 0, most = all < runs[0] ? all : runs[0];
	double seen = chance(hits[0], all, runs), p = 0;

	for (uint64_t k = least; k <= most; k++) {
		double other = chance(k, all, runs);

		if (other <= seen * ROUNDING)
			p += other;
	}
	return p < 1 ? p : 1;
}

static int compare_values(const void *a, const void *b)
{
	double x = **(double *const *)a, y = **(double *const *)b;

	return (x > y) - (x < y);
}

/* The i-th smallest value counts n - i times, and never less than a smaller one. */
void rfs_holm(double *p, size_t n)
{
	double **ranked = xcalloc(n + 1, sizeof(*ranked)), before = 0;

	for (size_t i = 0; i < n; i++)
		ranked[i] = &p[i];
	qsort(ranked, n, sizeof(*ranked), compare_values);
	for (size_t i = 0; i < n; i++) {
		double corrected = *ranked[i] * (double)(n - i);

		before = corrected > before ? corrected : before;
		*ranked[i] = before < 1 ? before : 1;
	}
	free(ranked);
}
