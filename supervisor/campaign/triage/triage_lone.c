/*
 * triage_lone.c - finds the second access of reports that name only one, as those of DRD.
 *
 * A tool may report one access from many callers. Such reports are one group, so that the time does not grow with the
 * square of their number.
 */
#include <stdlib.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/siteset.h"
#include "supervisor/campaign/triage/triage-priv.h"
#include "supervisor/import/import.h"

/* Accesses of different reports meet if they are closer than this, and overlap. */
#define WINDOW 64

bool rfs_matched_has(const struct rfs_matched *matched, const char *module, uint64_t offset)
{
	for (size_t i = 0; i < matched->n; i++)
		if (rfs_site_compare(matched->sites[i].module, matched->sites[i].offset, module, offset) == 0)
			return true;
	return false;
}

static void triage_lone_add_site(struct rfs_matched *matched, const char *module, uint64_t offset)
{
	if (rfs_matched_has(matched, module, offset))
		return;
	matched->sites = xreallocarray(matched->sites, matched->n + 1, sizeof(*matched->sites));
	matched->sites[matched->n++] = (struct rfs_site_ref){.module = module, .offset = offset};
}

static void triage_lone_add_all(struct rfs_matched *matched, const struct rfs_matched *more)
{
	for (size_t i = 0; i < more->n; i++)
		triage_lone_add_site(matched, more->sites[i].module, more->sites[i].offset);
}

bool rfs_triage_is_lone(const struct rfs_triage_entry *entry)
{
	return entry->report->kind == RFS_IMPORT_RACE && entry->report->n_accesses == 1 && entry->access[0].n;
}

/* The reports of one access, in the order of processes and addresses. */
struct lone {
	struct rfs_triage_entry *entry; /* the first one */
	size_t number;			/* of the entry; makes the order total */
	uint64_t process;
	const struct rfs_import_access *access;
};

static int triage_lone_compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_accesses(const struct lone *x, const struct lone *y)
{
	const struct rfs_matched *a = &x->entry->access[0], *b = &y->entry->access[0];
	int order = triage_lone_compare_numbers(x->process, y->process);

	if (!order)
		order = triage_lone_compare_numbers(x->access->address, y->access->address);
	if (!order)
		order = triage_lone_compare_numbers(x->access->size, y->access->size);
	if (!order)
		order = triage_lone_compare_numbers(x->access->writes, y->access->writes);
	if (!order)
		order = triage_lone_compare_numbers(a->n, b->n);
	for (size_t i = 0; i < a->n && !order; i++)
		order = rfs_site_compare(a->sites[i].module, a->sites[i].offset, b->sites[i].module,
					 b->sites[i].offset);
	return order;
}

static int compare_lone(const void *a, const void *b)
{
	const struct lone *x = a, *y = b;
	int order = compare_accesses(x, y);

	return order ? order : triage_lone_compare_numbers(x->number, y->number);
}

static bool triage_lone_overlap(const struct lone *a, const struct lone *b)
{
	return a->process == b->process && a->access->address < b->access->address + b->access->size &&
	       b->access->address < a->access->address + a->access->size;
}

/* Adds the accesses of other reports of the same memory. Returns whether one of both sides writes. */
static bool find_in_reports(const struct lone *list, size_t n, size_t i)
{
	struct rfs_triage_entry *entry = list[i].entry;
	bool writes = list[i].access->writes;
	size_t first = i, end = i;

	while (first > 0 && list[first - 1].process == list[i].process &&
	       list[first - 1].access->address + WINDOW > list[i].access->address)
		first--;
	while (end < n && list[end].process == list[i].process &&
	       list[end].access->address < list[i].access->address + WINDOW)
		end++;
	for (size_t k = first; k < end; k++) {
		if (!triage_lone_overlap(&list[i], &list[k]) || !(list[i].access->writes || list[k].access->writes))
			continue;
		writes = true;
		triage_lone_add_all(&entry->access[1], &list[k].entry->access[0]);
	}
	return writes;
}

/* Adds the accesses that the predicting run saw race with this one. Returns whether there are any. */
static bool find_in_run(const struct rfs_triage *triage, struct rfs_triage_entry *entry)
{
	bool found = false;

	for (size_t r = 0; r < triage->races.n; r++)
		for (int k = 0; k < 2; k++) {
			const struct rfs_place *a = &triage->races.races[r].side[k].site,
					       *b = &triage->races.races[r].side[1 - k].site;

			if (a->module && b->module && rfs_matched_has(&entry->access[0], a->module, a->offset)) {
				triage_lone_add_site(&entry->access[1], b->module, b->offset);
				found = true;
			}
		}
	return found;
}

static void triage_lone_finish(const struct rfs_triage *triage, struct rfs_triage_entry *entry, bool writes)
{
	const bool conflicts = writes && entry->access[1].n;
	struct rfs_statement_pair pair;

	if (!conflicts)
		rfs_matched_release(&entry->access[1]);
	pair = rfs_triage_statements(entry);
	entry->surveyed = rfs_survey_of(&triage->survey, &pair);
	if (!conflicts && !rfs_surveyed_settles(&entry->surveyed))
		entry->why = xstrdup("the report names only one access, and neither another report nor a run shows a "
				     "conflicting one");
	else if (conflicts && (entry->how == RFS_MATCH_OFFSET || entry->how == RFS_MATCH_LINE))
		entry->how = RFS_MATCH_VARIABLE;
}

void rfs_triage_pair_lone(struct rfs_triage *triage)
{
	struct lone *list = xcalloc(triage->import->n + 1, sizeof(*list));
	struct lone *groups = xcalloc(triage->import->n + 1, sizeof(*groups));
	size_t n = 0, n_groups = 0;

	for (size_t i = 0; i < triage->import->n; i++) {
		struct rfs_triage_entry *entry = &triage->entries[i];

		if (rfs_triage_is_lone(entry))
			list[n++] = (struct lone){entry, i, entry->report->process, &entry->report->access[0]};
	}
	qsort(list, n, sizeof(*list), compare_lone);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || compare_accesses(&list[i - 1], &list[i]) != 0)
			groups[n_groups++] = list[i];
	for (size_t i = 0, g = 0; g < n_groups; g++) {
		struct rfs_triage_entry *leader = groups[g].entry;
		bool writes = find_in_reports(groups, n_groups, g) | find_in_run(triage, leader);

		for (; i < n && compare_accesses(&groups[g], &list[i]) == 0; i++) {
			if (list[i].entry != leader)
				triage_lone_add_all(&list[i].entry->access[1], &leader->access[1]);
			triage_lone_finish(triage, list[i].entry, writes);
		}
	}
	free(groups);
	free(list);
}
