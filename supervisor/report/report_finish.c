/*
 * report_finish.c - sets the ids of findings and sorts the findings. An id is the same in all runs and on all
 * machines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_STATIC_LINKING_ONLY /* for the size of XXH64_state_t */
#include <xxhash.h>

#include "supervisor/base/path.h"
#include "supervisor/report/report.h"
#include "supervisor/symbols/source_place.h"

/*
 * Compares two places as ids do: by the base name of the module, because the same build may be in another folder, and
 * by the offset.
 */
static int compare_places(const struct rfs_source_place *a, const struct rfs_source_place *b)
{
	int names = strcmp(rfs_base_name(a->module), rfs_base_name(b->module));

	return names ? names : (a->offset > b->offset) - (a->offset < b->offset);
}

/* Strings are hashed with their NUL, so that no two lists of strings give the same bytes. */
static void hash_string(XXH64_state_t *state, const char *s)
{
	XXH64_update(state, s, strlen(s) + 1);
}

static void hash_place(XXH64_state_t *state, const struct rfs_source_place *place)
{
	hash_string(state, rfs_base_name(place->module));
	XXH64_update(state, &place->offset, sizeof(place->offset));
}

static void print_id(XXH64_state_t *state, char *out)
{
	snprintf(out, 17, "%016llx", (unsigned long long)XXH64_digest(state));
}

void rfs_report_pair_id(const struct rfs_source_place *a, const struct rfs_source_place *b, char *out)
{
	bool swap = compare_places(a, b) > 0;
	XXH64_state_t state;

	XXH64_reset(&state, 0);
	hash_place(&state, swap ? b : a);
	hash_place(&state, swap ? a : b);
	print_id(&state, out);
}

static int compare_waiters(const void *a, const void *b)
{
	const struct rfs_report_waiter *x = a, *y = b;

	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* Hashes the stacks of the waiting threads. If a thread has no stack, the name of what it waits for is hashed. */
static void deadlock_id(struct rfs_report_deadlock *deadlock)
{
	uint64_t sum = 0;
	XXH64_state_t state;

	for (size_t i = 0; i < deadlock->n_threads; i++) {
		const struct rfs_report_waiter *waiter = &deadlock->threads[i];

		XXH64_reset(&state, 0);
		for (size_t f = 0; f < waiter->stack.n_frames; f++)
			hash_place(&state, &waiter->stack.frames[f]);
		if (!waiter->stack.n_frames)
			hash_string(&state, waiter->waits_for ? waiter->waits_for : "");
		sum += XXH64_digest(&state); /* a sum, so that the order of the threads does not matter */
	}
	XXH64_reset(&state, 0);
	XXH64_update(&state, &sum, sizeof(sum));
	print_id(&state, deadlock->id);
}

static void failure_id(struct rfs_report_failure *failure)
{
	XXH64_state_t state;

	XXH64_reset(&state, 0);
	hash_string(&state, rfs_failure_name(failure->kind));
	hash_string(&state, failure->detail ? failure->detail : "");
	print_id(&state, failure->id);
}

static int compare_pairs(const void *a, const void *b)
{
	const struct rfs_report_pair *x = a, *y = b;
	int order = (int)y->verdict - (int)x->verdict;

	for (int i = 0; !order && i < 2; i++)
		order = compare_places(&x->statement[i].place, &y->statement[i].place);
	return order ? order : strcmp(x->id, y->id);
}

static int compare_deadlocks(const void *a, const void *b)
{
	const struct rfs_report_deadlock *x = a, *y = b;
	int order = (int)x->not_reproduced - (int)y->not_reproduced;

	return order ? order : strcmp(x->id, y->id);
}

static int compare_failures(const void *a, const void *b)
{
	const struct rfs_report_failure *x = a, *y = b;
	int order = (int)rfs_failure_is_finding(y) - (int)rfs_failure_is_finding(x);

	return order ? order : strcmp(x->id, y->id);
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

	if (compare_places(&pair->statement[0].place, &pair->statement[1].place) <= 0)
		return;
	statement = pair->statement[0];
	pair->statement[0] = pair->statement[1];
	pair->statement[1] = statement;
	swap(pair->reached);
	swap(pair->executed);
	swap(pair->stopped);
}

static void sort(void *array, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	if (n) /* qsort() must not get NULL */
		qsort(array, n, size, compare);
}

void rfs_report_finish(struct rfs_report *report)
{
	for (size_t i = 0; i < report->n_pairs; i++) {
		struct rfs_report_pair *pair = &report->pairs[i];

		order_statements(pair);
		rfs_report_pair_id(&pair->statement[0].place, &pair->statement[1].place, pair->id);
	}
	for (size_t i = 0; i < report->n_deadlocks; i++) {
		struct rfs_report_deadlock *deadlock = &report->deadlocks[i];

		sort(deadlock->threads, deadlock->n_threads, sizeof(*deadlock->threads), compare_waiters);
		deadlock_id(deadlock);
	}
	for (size_t i = 0; i < report->n_failures; i++)
		failure_id(&report->failures[i]);
	sort(report->pairs, report->n_pairs, sizeof(*report->pairs), compare_pairs);
	sort(report->deadlocks, report->n_deadlocks, sizeof(*report->deadlocks), compare_deadlocks);
	sort(report->failures, report->n_failures, sizeof(*report->failures), compare_failures);
}
