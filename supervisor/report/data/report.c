/* report.c - the report as data: adds elements, frees them, and computes the exit status. */
#include "supervisor/report/data/report.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"

void rfs_report_init(struct rfs_report *report)
{
	*report = (struct rfs_report){0};
}

/* ---- release ---- */

static void report_release_strings(struct rfs_report_strings *strings)
{
	for (size_t i = 0; i < strings->n_items; i++)
		free(strings->items[i]);
	free(strings->items);
}

static void release_shown(struct rfs_report_shown *shown)
{
	free(shown->output);
	rfs_source_stack_release(&shown->stack);
	free(shown->differs);
	free(shown->story);
	free(shown->no_story);
	free(shown->simple);
	free(shown->faults);
	free(shown->block);
	free(shown->page);
}

static void report_release_pair(struct rfs_report_pair *pair)
{
	release_shown(&pair->shown);
	for (int i = 0; i < 2; i++) {
		rfs_source_place_release(&pair->statement[i].place);
		report_release_strings(&pair->statement[i].locks);
		rfs_source_stack_release(&pair->statement[i].stack);
	}
	rfs_source_stack_release(&pair->allocated);
	report_release_strings(&pair->said);
	free(pair->variable);
	free(pair->detail);
	free(pair->output.line[0]);
	free(pair->output.line[1]);
	free(pair->record);
}

static void release_threads(struct rfs_report_waiter *threads, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(threads[i].waits_for);
		free(threads[i].sent);
		report_release_strings(&threads[i].holds);
		for (size_t k = 0; k < threads[i].n_acquired; k++) {
			free(threads[i].acquired[k].lock);
			rfs_source_stack_release(&threads[i].acquired[k].stack);
		}
		free(threads[i].acquired);
		rfs_source_stack_release(&threads[i].stack);
	}
	free(threads);
}

static void report_release_run(struct rfs_report_run *run)
{
	release_shown(&run->shown);
	free(run->phase);
	free(run->policy);
	free(run->record);
	free(run->difference);
	free(run->reason);
}

static void release_deadlock(struct rfs_report_deadlock *deadlock)
{
	release_threads(deadlock->threads, deadlock->n_threads);
	report_release_run(&deadlock->run);
}

static void release_failure(struct rfs_report_failure *failure)
{
	free(failure->detail);
	report_release_strings(&failure->said);
	release_threads(failure->threads, failure->n_threads);
	report_release_run(&failure->run);
}

static void release_samplings(struct rfs_report_sampling *samplings, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct rfs_report_sampling *sampling = &samplings[i];

		for (size_t k = 0; k < sampling->n_orders; k++)
			free(sampling->orders[k].hash);
		for (size_t k = 0; k < sampling->n_stats; k++)
			free(sampling->stats[k].key);
		free(sampling->orders);
		free(sampling->stats);
		free(sampling->policy);
		free(sampling->options);
		free(sampling->points);
	}
	free(samplings);
}

void rfs_report_release(struct rfs_report *report)
{
	rfs_report_cycles_release(&report->cycles);
	rfs_report_violations_release(&report->violations);
	report_release_strings(&report->program);
	report_release_strings(&report->beside);
	report_release_strings(&report->warnings);
	free(report->check_difference);
	for (size_t i = 0; i < report->n_modules; i++) {
		free(report->modules[i].name);
		free(report->modules[i].build_id);
	}
	for (size_t i = 0; i < report->n_phases; i++)
		free(report->phases[i].name);
	for (size_t i = 0; i < report->n_pairs; i++)
		report_release_pair(&report->pairs[i]);
	for (size_t i = 0; i < report->n_deadlocks; i++)
		release_deadlock(&report->deadlocks[i]);
	for (size_t i = 0; i < report->n_failures; i++)
		release_failure(&report->failures[i]);
	rfs_report_misuses_release(&report->misuses);
	rfs_report_suppressions_release(&report->suppressions);
	rfs_report_triage_release(&report->triage);
	release_samplings(report->samplings, report->n_samplings);
	release_samplings(report->explored, report->n_explored);
	for (size_t i = 0; i < report->n_stats; i++)
		free(report->stats[i].key);
	free(report->modules);
	free(report->phases);
	free(report->pairs);
	free(report->deadlocks);
	free(report->failures);
	free(report->stats);
	free(report->incomplete);
	free(report->next);
	free(report->part);
	free(report->process);
	free(report->plain_failure);
	free(report->uncontrolled);
	free(report->directory);
	free(report->known_in);
	rfs_report_init(report);
}

/* ---- growth ---- */

/*
 * Makes room for one more element in the array, and zeroes that element. Returns the array. n: the number of elements
 * so far.
 */
static void *report_grow(void *array, size_t n, size_t size)
{
	/*
	 * the array's size is a power of two; the array may be full if n is a power of two, and its size is then
	 * doubled
	 */
	if ((n & (n - 1)) == 0)
		array = xreallocarray(array, n ? n * 2 : 1, size);
	memset((char *)array + n * size, 0, size);
	return array;
}
#define ADD(array, n) ((array) = report_grow(array, n, sizeof(*(array))), &(array)[(n)++])

struct rfs_report_module *rfs_report_add_module(struct rfs_report *report)
{
	return ADD(report->modules, report->n_modules);
}

struct rfs_report_phase *rfs_report_add_phase(struct rfs_report *report)
{
	return ADD(report->phases, report->n_phases);
}

struct rfs_report_pair *rfs_report_add_pair(struct rfs_report *report)
{
	return ADD(report->pairs, report->n_pairs);
}

struct rfs_report_deadlock *rfs_report_add_deadlock(struct rfs_report *report)
{
	return ADD(report->deadlocks, report->n_deadlocks);
}

struct rfs_report_failure *rfs_report_add_failure(struct rfs_report *report)
{
	return ADD(report->failures, report->n_failures);
}

struct rfs_report_sampling *rfs_report_add_sampling(struct rfs_report *report)
{
	return ADD(report->samplings, report->n_samplings);
}

struct rfs_report_sampling *rfs_report_add_explored(struct rfs_report *report)
{
	return ADD(report->explored, report->n_explored);
}

struct rfs_report_order *rfs_report_add_order(struct rfs_report_sampling *sampling)
{
	return ADD(sampling->orders, sampling->n_orders);
}

void rfs_report_add_counter(struct rfs_report_sampling *sampling, const char *key, double value)
{
	struct rfs_report_stat *stat = ADD(sampling->stats, sampling->n_stats);

	stat->key = xstrdup(key);
	stat->value = value;
}

struct rfs_report_waiter *rfs_report_add_waiter(struct rfs_report_deadlock *deadlock)
{
	return ADD(deadlock->threads, deadlock->n_threads);
}

struct rfs_report_waiter *rfs_report_add_thread(struct rfs_report_failure *failure)
{
	return ADD(failure->threads, failure->n_threads);
}

struct rfs_report_acquisition *rfs_report_add_acquisition(struct rfs_report_waiter *waiter, char *lock)
{
	struct rfs_report_acquisition *added;

	waiter->acquired = xreallocarray(waiter->acquired, waiter->n_acquired + 1, sizeof(*waiter->acquired));
	added = &waiter->acquired[waiter->n_acquired++];
	*added = (struct rfs_report_acquisition){.lock = lock};
	return added;
}

void rfs_report_add_string(struct rfs_report_strings *strings, const char *string)
{
	char **item = ADD(strings->items, strings->n_items);

	*item = xstrdup(string);
}

void rfs_report_add_stat(struct rfs_report *report, const char *key, double value)
{
	struct rfs_report_stat *stat = ADD(report->stats, report->n_stats);

	stat->key = xstrdup(key);
	stat->value = value;
}

/* ---- meaning ---- */

bool rfs_failure_is_finding(const struct rfs_report_failure *failure)
{
	return failure->run.replayed != RFS_REPLAY_DIFFERENT && !failure->plain;
}

enum rfs_failure_class rfs_report_failure_class(const struct rfs_report_failure *failure)
{
	if (failure->violation)
		return failure->violation->order ? RFS_FAILURE_OF_ORDER : RFS_FAILURE_OF_ATOMICITY;
	switch (failure->kind) {
	case RFS_FAILURE_SIGNAL:
	case RFS_FAILURE_USE_AFTER_FREE:
		return RFS_FAILURE_CRASH;
	case RFS_FAILURE_DEADLOCK:
		return RFS_FAILURE_DEADLOCKED;
	case RFS_FAILURE_HANG:
		return RFS_FAILURE_HANGING;
	case RFS_FAILURE_EXIT:
		break;
	}
	return RFS_FAILURE_OTHER;
}

bool rfs_report_own_skips(const struct rfs_report *report)
{
	return report->is_test && report->own.failed && !report->own.signal && report->own.number == RFS_STATUS_SKIP;
}

enum rfs_exit rfs_report_exit(const struct rfs_report *report)
{
	for (size_t i = 0; i < report->n_pairs; i++)
		if (rfs_verdict_words(report->pairs[i].verdict)->finding &&
		    rfs_identity_counts(&report->pairs[i].identity))
			return RFS_EXIT_FINDING;
	for (size_t i = 0; i < report->n_deadlocks; i++)
		if (report->deadlocks[i].run.replayed != RFS_REPLAY_DIFFERENT &&
		    rfs_identity_counts(&report->deadlocks[i].identity))
			return RFS_EXIT_FINDING;
	for (size_t i = 0; i < report->n_failures; i++)
		if (rfs_failure_is_finding(&report->failures[i]) && !report->failures[i].identity.known)
			return RFS_EXIT_FINDING;
	for (size_t i = 0; report->misuses.findings && i < report->misuses.n; i++)
		if (rfs_identity_counts(&report->misuses.list[i].identity))
			return RFS_EXIT_FINDING;
	if (report->uncontrolled)
		return RFS_EXIT_UNCONTROLLED;
	return report->incomplete ? RFS_EXIT_INCOMPLETE : RFS_EXIT_CLEAN;
}
