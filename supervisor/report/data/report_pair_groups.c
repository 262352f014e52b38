/* report_pair_groups.c - sorts pairs by cause, and puts the best one of each cause first. */
#include "supervisor/report/data/report_pair_groups.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_groups.h"

struct entry {
	const struct rfs_report_pair *pair;
	char *cause;	     /* equal for pairs with one cause */
	size_t place, first; /* its number among the given pairs, and that of the first pair with this cause */
};

static int compare_numbers(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

static int compare_causes(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	const int order = strcmp(x->cause, y->cause);

	return order ? order : compare_numbers(x->place, y->place);
}

static int compare_places(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	const int order = compare_numbers(x->first, y->first);

	return order ? order : compare_numbers(x->place, y->place);
}

static bool is_better(const struct rfs_report_pair *a, const struct rfs_report_pair *b)
{
	return a->verdict != b->verdict ? a->verdict > b->verdict : a->runs > b->runs;
}

static void put_best_first(struct rfs_report_pair_group *group)
{
	const struct rfs_report_pair *pair;
	size_t best = 0;

	for (size_t i = 1; i < group->n; i++)
		if (is_better(group->pairs[i], group->pairs[best]))
			best = i;
	pair = group->pairs[best];
	memmove(group->pairs + 1, group->pairs, best * sizeof(*group->pairs));
	group->pairs[0] = pair;
}

void rfs_report_pair_groups_make(const struct rfs_report_pair *const *pairs, size_t n,
				 struct rfs_report_pair_groups *out)
{
	struct entry *entries = xcalloc(n + 1, sizeof(*entries));

	*out = (struct rfs_report_pair_groups){
		.list = xcalloc(n + 1, sizeof(*out->list)),
		.pairs = xcalloc(n + 1, sizeof(*out->pairs)),
	};
	for (size_t i = 0; i < n; i++)
		entries[i] = (struct entry){pairs[i], rfs_report_pair_cause(pairs[i]), i, i};
	qsort(entries, n, sizeof(*entries), compare_causes);
	for (size_t i = 1; i < n; i++)
		if (strcmp(entries[i].cause, entries[i - 1].cause) == 0)
			entries[i].first = entries[i - 1].first;
	qsort(entries, n, sizeof(*entries), compare_places);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || entries[i].first != entries[i - 1].first)
			out->list[out->n++].pairs = &out->pairs[i];
		out->pairs[i] = entries[i].pair;
		out->list[out->n - 1].n++;
		free(entries[i].cause);
	}
	for (size_t i = 0; i < out->n; i++)
		put_best_first(&out->list[i]);
	free(entries);
}

void rfs_report_pair_groups_release(struct rfs_report_pair_groups *groups)
{
	free(groups->list);
	free(groups->pairs);
	*groups = (struct rfs_report_pair_groups){0};
}
