/* report_finish.c - sets the ids of findings and sorts the findings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/report/data/identity.h"
#include "supervisor/report/data/report.h"
#include "supervisor/symbols/source_place.h"

static int compare_waiters(const void *a, const void *b)
{
	const struct rfs_report_waiter *x = a, *y = b;

	return (x->thread > y->thread) - (x->thread < y->thread);
}

static int report_finish_compare_pairs(const void *a, const void *b)
{
	const struct rfs_report_pair *x = a, *y = b;
	int order = (int)y->verdict - (int)x->verdict;

	for (int i = 0; !order && i < 2; i++)
		order = rfs_identity_compare_places(&x->statement[i].place, &y->statement[i].place);
	return order ? order : strcmp(x->identity.id, y->identity.id);
}

static int compare_deadlocks(const void *a, const void *b)
{
	const struct rfs_report_deadlock *x = a, *y = b;
	int order = (int)(x->run.replayed == RFS_REPLAY_DIFFERENT) - (int)(y->run.replayed == RFS_REPLAY_DIFFERENT);

	return order ? order : strcmp(x->identity.id, y->identity.id);
}

static int compare_failures(const void *a, const void *b)
{
	const struct rfs_report_failure *x = a, *y = b;
	int order = (int)rfs_failure_is_finding(y) - (int)rfs_failure_is_finding(x);

	return order ? order : strcmp(x->identity.id, y->identity.id);
}

static void swap(uint64_t numbers[2])
{
	const uint64_t first = numbers[0];

	numbers[0] = numbers[1];
	numbers[1] = first;
}

static void order_statements(struct rfs_report_pair *pair)
{
	struct rfs_report_statement statement;

	if (rfs_identity_compare_places(&pair->statement[0].place, &pair->statement[1].place) <= 0)
		return;
	statement = pair->statement[0];
	pair->statement[0] = pair->statement[1];
	pair->statement[1] = statement;
	pair->orders.first = pair->orders.first ? 3 - pair->orders.first : 0;
	swap(pair->reached);
	swap(pair->executed);
	swap(pair->stopped);
}

static void report_finish_sort(void *array, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	if (n) /* qsort() must not get NULL */
		qsort(array, n, size, compare);
}

/* Links a violation with the finding that reports its failure. */
static void link_violation(struct rfs_report *report, struct rfs_report_violation *violation)
{
	const struct rfs_report_identity *of = rfs_report_of_violation(report, violation);

	for (size_t i = 0; violation->harmful && violation->finding && i < report->n_failures; i++)
		if (report->failures[i].finding == violation->finding && !report->failures[i].violation)
			report->failures[i].violation = violation;
	snprintf(violation->failure, sizeof(violation->failure), "%s", of ? of->id : "");
}

void rfs_report_finish(struct rfs_report *report)
{
	for (size_t i = 0; i < report->n_pairs; i++) {
		order_statements(&report->pairs[i]);
		rfs_identify_pair(&report->pairs[i]);
	}
	for (size_t i = 0; i < report->n_deadlocks; i++) {
		struct rfs_report_deadlock *deadlock = &report->deadlocks[i];

		report_finish_sort(deadlock->threads, deadlock->n_threads, sizeof(*deadlock->threads), compare_waiters);
		rfs_identify_deadlock(deadlock);
	}
	for (size_t i = 0; i < report->n_failures; i++)
		rfs_identify_failure(&report->failures[i]);
	for (size_t i = 0; i < report->misuses.n; i++)
		rfs_identify_misuse(&report->misuses.list[i]);
	report_finish_sort(report->pairs, report->n_pairs, sizeof(*report->pairs), report_finish_compare_pairs);
	report_finish_sort(report->deadlocks, report->n_deadlocks, sizeof(*report->deadlocks), compare_deadlocks);
	report_finish_sort(report->failures, report->n_failures, sizeof(*report->failures), compare_failures);
	for (size_t i = 0; i < report->n_failures; i++)
		report->failures[i].violation = NULL;
	for (size_t i = 0; i < report->violations.n; i++)
		link_violation(report, &report->violations.list[i]);
}
