/* text_unconfirmed.c - sorts pairs by cause, and writes the best one of each cause with the number of the others. */
#include "supervisor/report/text/text_unconfirmed.h"

#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_groups.h"
#include "supervisor/report/text/text_finding.h"
#include "supervisor/report/text/text_put.h"

struct entry {
	const struct rfs_report_pair *pair;
	char *cause; /* equal for pairs with one cause */
	size_t place;
};

static bool text_unconfirmed_is(const struct rfs_report_pair *pair)
{
	return !rfs_verdict_words(pair->verdict)->finding && !pair->identity.suppressed;
}

bool rfs_text_has_unconfirmed_pair(const struct rfs_report *report)
{
	for (size_t i = 0; i < report->n_pairs; i++)
		if (text_unconfirmed_is(&report->pairs[i]))
			return true;
	return false;
}

static int compare_causes(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	const int order = strcmp(x->cause, y->cause);

	return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* The worst verdict first; then the pair that was tried most. */
static bool is_better(const struct rfs_report_pair *a, const struct rfs_report_pair *b)
{
	return a->verdict != b->verdict ? a->verdict > b->verdict : a->runs > b->runs;
}

struct group {
	struct entry *entries;
	size_t n;
};

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return (x->entries[0].place > y->entries[0].place) - (x->entries[0].place < y->entries[0].place);
}

/* Puts the best pair of the group before the others. */
static void put_best_first(struct group *group)
{
	size_t best = 0;
	struct entry entry;

	for (size_t i = 1; i < group->n; i++)
		if (is_better(group->entries[i].pair, group->entries[best].pair))
			best = i;
	entry = group->entries[best];
	memmove(group->entries + 1, group->entries, best * sizeof(*group->entries));
	group->entries[0] = entry;
}

static void text_unconfirmed_put_group(struct rfs_text *text, const struct group *group)
{
	rfs_text_put_pair(text, group->entries[0].pair);
	if (group->n > 1)
		rfs_text_put(text, "    %zu more of the same functions and memory\n", group->n - 1);
	for (size_t i = 1; i < group->n; i++) {
		const struct rfs_report_item item = {.pair = (struct rfs_report_pair *)group->entries[i].pair};

		rfs_text_put(text, "    ");
		rfs_text_put_briefly(text, &item);
	}
}

void rfs_text_put_unconfirmed_pairs(struct rfs_text *text, const struct rfs_report *report)
{
	struct entry *entries = xcalloc(report->n_pairs + 1, sizeof(*entries));
	struct group *groups = xcalloc(report->n_pairs + 1, sizeof(*groups));
	size_t n = 0, n_groups = 0;

	for (size_t i = report->n_pairs; i-- > 0;)
		if (text_unconfirmed_is(&report->pairs[i])) {
			entries[n] = (struct entry){&report->pairs[i], rfs_report_pair_cause(&report->pairs[i]), n};
			n++;
		}
	qsort(entries, n, sizeof(*entries), compare_causes);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || strcmp(entries[i].cause, entries[i - 1].cause) != 0)
			groups[n_groups++].entries = &entries[i];
		groups[n_groups - 1].n++;
	}
	qsort(groups, n_groups, sizeof(*groups), compare_groups);
	for (size_t i = 0; i < n_groups; i++) {
		put_best_first(&groups[i]);
		text_unconfirmed_put_group(text, &groups[i]);
	}
	for (size_t i = 0; i < n; i++)
		free(entries[i].cause);
	free(entries);
	free(groups);
}
