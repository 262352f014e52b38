/* Writes the JSON object of rfsup(1). Keys that do not apply are absent. Keys are in the order of the manual. */
#include "supervisor/report/report.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/op_text.h"
#include "supervisor/base/utf8.h"
#include "supervisor/base/version.h"
#include "supervisor/record/run_options.h"
#include "supervisor/report/report_misuse.h"
#include "supervisor/report/report_proof.h"
#include "supervisor/report/report_write.h"

#define SCHEMA 1

/* File names are bytes, but JSON is Unicode: bytes that are not UTF-8 become U+FFFD. */
static json_t *text(const char *s)
{
	char *clean = xmalloc(strlen(s) * 3 + 1), *p = clean;
	json_t *value;

	while (*s) {
		size_t n = rfs_utf8_length(s);

		memcpy(p, n ? s : "\xef\xbf\xbd", n ? n : 3);
		p += n ? n : 3;
		s += n ? n : 1;
	}
	*p = '\0';
	value = json_string(clean);
	free(clean);
	return value;
}

/*
 * If memory is exhausted, jansson returns NULL for a new value, and the functions that add a value fail if the value is
 * NULL. So one check detects both failures.
 */
static void report_json_put(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) < 0)
		die("out of memory while writing the JSON report");
}

static void report_json_append(json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) < 0)
		die("out of memory while writing the JSON report");
}

static void put_text(json_t *object, const char *key, const char *s)
{
	if (s)
		report_json_put(object, key, text(s));
}

static void put_number(json_t *object, const char *key, uint64_t value)
{
	report_json_put(object, key, json_integer((json_int_t)value));
}

static json_t *strings(const struct rfs_report_strings *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->n_items; i++)
		report_json_append(array, text(list->items[i]));
	return array;
}

static void put_place(json_t *object, const struct rfs_source_place *place)
{
	put_text(object, "module", place->module);
	put_number(object, "offset", place->offset);
	put_text(object, "file", place->file);
	if (place->line)
		put_number(object, "line", place->line);
	if (place->column)
		put_number(object, "column", place->column);
	put_text(object, "function", place->function);
	put_text(object, "near", place->near);
}

static json_t *stack(const struct rfs_source_stack *frames)
{
	json_t *array = json_array();

	for (size_t i = 0; i < frames->n_frames; i++) {
		json_t *frame = json_object();

		put_place(frame, &frames->frames[i]);
		report_json_append(array, frame);
	}
	return array;
}

static json_t *statement(const struct rfs_report_statement *statement)
{
	json_t *object = json_object();

	put_place(object, &statement->place);
	if (statement->access)
		put_text(object, "access", rfs_access_text(statement->access, RFS_ACCESS_NOUN));
	if (statement->seen) {
		put_number(object, "address", statement->address);
		put_number(object, "size", statement->size);
		put_number(object, "thread", (uint64_t)statement->thread);
		if (statement->team_size) {
			put_number(object, "openmp_thread", statement->team_number);
			put_number(object, "openmp_team", statement->team_size);
		}
		if (statement->stale)
			report_json_put(object, "stale", json_true());
		report_json_put(object, "locks", strings(&statement->locks));
	}
	if (statement->stack.n_frames)
		report_json_put(object, "stack", stack(&statement->stack));
	return object;
}

static void put_shown(json_t *object, const struct rfs_report_shown *shown)
{
	put_text(object, "output", shown->output);
	if (shown->stack.n_frames)
		report_json_put(object, "failing_stack", stack(&shown->stack));
	put_text(object, "differs", shown->differs);
	put_text(object, "story", shown->story);
	if (shown->story) {
		put_number(object, "story_switches", shown->story_switches);
		put_number(object, "story_runs", shown->story_runs);
	}
	put_text(object, "simple", shown->simple);
	put_text(object, "page", shown->page);
}

static json_t *two_numbers(const uint64_t numbers[2])
{
	json_t *array = json_array();

	report_json_append(array, json_integer((json_int_t)numbers[0]));
	report_json_append(array, json_integer((json_int_t)numbers[1]));
	return array;
}

static json_t *orders(const struct rfs_report_orders *orders)
{
	json_t *object = json_object();

	put_number(object, "tests", orders->tests);
	put_number(object, "race", orders->race);
	report_json_put(object, "runs", two_numbers(orders->runs));
	report_json_put(object, "failed", two_numbers(orders->failed));
	report_json_put(object, "p", json_real(orders->p));
	report_json_put(object, "corrected", json_real(orders->corrected));
	return object;
}

static json_t *pair(const struct rfs_report_pair *pair)
{
	json_t *object = json_object(), *array = json_array();

	put_text(object, "id", pair->id);
	report_json_append(array, statement(&pair->statement[0]));
	report_json_append(array, statement(&pair->statement[1]));
	report_json_put(object, "statements", array);
	put_text(object, "verdict", rfs_verdict_words(pair->verdict)->name);
	report_json_put(object, "atomic", json_boolean(pair->atomic));
	put_text(object, "variable", pair->variable);
	put_number(object, "planned", pair->planned);
	put_number(object, "runs", pair->runs);
	if (pair->timeouts)
		put_number(object, "timeouts", pair->timeouts);
	report_json_put(object, "reached", two_numbers(pair->reached));
	put_number(object, "confirmed", pair->confirmed);
	put_number(object, "failures", pair->failures);
	if (pair->failed) {
		json_t *failure = json_object();

		put_text(failure, "kind", rfs_failure_name(pair->kind));
		put_text(failure, "detail", pair->detail);
		if (pair->said.n_items)
			report_json_put(failure, "said", strings(&pair->said));
		report_json_put(failure, "attributed", json_boolean(pair->attributed));
		if (pair->orders.tests)
			report_json_put(failure, "orders", orders(&pair->orders));
		if (pair->not_replayed)
			report_json_put(failure, "not_replayed", json_true());
		report_json_put(object, "failure", failure);
	}
	if (pair->has_seed)
		put_number(object, "seed", pair->seed);
	put_text(object, "record", pair->record);
	put_shown(object, &pair->shown);
	return object;
}

static json_t *acquisitions(const struct rfs_report_waiter *waiter)
{
	json_t *array = json_array();

	for (size_t i = 0; i < waiter->n_acquired; i++) {
		json_t *acquisition = json_object();

		put_text(acquisition, "lock", waiter->acquired[i].lock);
		report_json_put(acquisition, "stack", stack(&waiter->acquired[i].stack));
		report_json_append(array, acquisition);
	}
	return array;
}

static json_t *threads(const struct rfs_report_waiter *list, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *thread = json_object();

		put_number(thread, "thread", (uint64_t)list[i].thread);
		put_text(thread, "waits_for", list[i].waits_for);
		report_json_put(thread, "holds", strings(&list[i].holds));
		if (list[i].n_acquired)
			report_json_put(thread, "acquired", acquisitions(&list[i]));
		report_json_put(thread, "stack", stack(&list[i].stack));
		report_json_append(array, thread);
	}
	return array;
}

static json_t *lock(const struct rfs_report_lock *lock)
{
	json_t *object;

	if (!lock->place)
		return json_null();
	object = json_object();
	put_text(object, "lock", lock->name);
	put_place(object, lock->place);
	return object;
}

/* Predicted deadlocks of different threads, and inversions by one thread. */
static json_t *cycles(const struct rfs_report_cycles *cycles)
{
	json_t *array = json_array();

	for (size_t i = 0; i < cycles->n; i++) {
		const struct rfs_report_cycle *cycle = &cycles->list[i];
		json_t *object = json_object(), *parts = json_array();

		if (cycle->one_thread)
			report_json_put(object, "one_thread", json_true());
		put_number(object, "planned", cycle->planned);
		put_number(object, "runs", cycle->runs);
		put_number(object, "timeouts", cycle->timeouts);
		put_number(object, "created", cycle->created);
		for (size_t k = 0; k < cycle->n_parts; k++) {
			json_t *part = json_object();

			if (cycle->parts[k].has_thread)
				put_number(part, "thread", (uint64_t)cycle->parts[k].thread);
			report_json_put(part, "holds", lock(&cycle->parts[k].held));
			report_json_put(part, "wants", lock(&cycle->parts[k].wanted));
			report_json_append(parts, part);
		}
		report_json_put(object, "threads", parts);
		report_json_append(array, object);
	}
	return array;
}

static json_t *deadlock(const struct rfs_report_deadlock *deadlock)
{
	json_t *object = json_object();

	put_text(object, "id", deadlock->id);
	put_number(object, "runs", deadlock->runs);
	report_json_put(object, "threads", threads(deadlock->threads, deadlock->n_threads));
	put_text(object, "phase", deadlock->phase);
	put_text(object, "policy", deadlock->policy);
	if (deadlock->not_reproduced)
		report_json_put(object, "not_reproduced", json_true());
	if (deadlock->not_replayed)
		report_json_put(object, "not_replayed", json_true());
	put_text(object, "difference", deadlock->difference);
	put_number(object, "seed", deadlock->seed);
	put_text(object, "record", deadlock->record);
	put_shown(object, &deadlock->shown);
	return object;
}

static json_t *failure(const struct rfs_report_failure *failure)
{
	json_t *object = json_object();

	put_text(object, "id", failure->id);
	put_text(object, "kind", rfs_failure_name(failure->kind));
	put_text(object, "detail", failure->detail);
	put_text(object, "phase", failure->phase);
	put_text(object, "policy", failure->policy);
	put_number(object, "runs", failure->runs);
	if (failure->said.n_items)
		report_json_put(object, "said", strings(&failure->said));
	if (failure->n_threads)
		report_json_put(object, "threads", threads(failure->threads, failure->n_threads));
	if (failure->not_reproduced)
		report_json_put(object, "not_reproduced", json_true());
	if (failure->not_replayed)
		report_json_put(object, "not_replayed", json_true());
	put_text(object, "difference", failure->difference);
	if (failure->plain)
		report_json_put(object, "plain", json_true());
	put_number(object, "seed", failure->seed);
	put_text(object, "record", failure->record);
	put_shown(object, &failure->shown);
	return object;
}

/* Integers are written without a decimal point, because counters must stay integers. */
static json_t *number(double value)
{
	if (value >= -9007199254740992.0 && value <= 9007199254740992.0 && value == (double)(json_int_t)value)
		return json_integer((json_int_t)value);
	return json_real(value);
}

static json_t *phases(const struct rfs_report *report)
{
	json_t *array = json_array();

	for (size_t i = 0; i < report->n_phases; i++) {
		const struct rfs_report_phase *phase = &report->phases[i];
		json_t *object = json_object();

		put_text(object, "name", phase->name);
		put_number(object, "planned", phase->planned);
		put_number(object, "runs", phase->runs);
		if (phase->timeouts)
			put_number(object, "timeouts", phase->timeouts);
		if (phase->cut)
			put_number(object, "cut", phase->cut);
		report_json_append(array, object);
	}
	return array;
}

static json_t *counters(const struct rfs_report_stat *stats, size_t n)
{
	json_t *object = json_object();

	for (size_t i = 0; i < n; i++)
		report_json_put(object, stats[i].key, number(stats[i].value));
	return object;
}

static json_t *sampling(const struct rfs_report_sampling *sampling)
{
	json_t *object = json_object(), *array = json_array();

	put_text(object, "policy", sampling->policy);
	put_text(object, "options", sampling->options);
	put_text(object, "points", sampling->points);
	put_number(object, "runs", sampling->runs);
	put_number(object, "failures", sampling->failures);
	if (sampling->first_failure)
		put_number(object, "first_failure", sampling->first_failure);
	if (sampling->n_stats)
		report_json_put(object, "stats", counters(sampling->stats, sampling->n_stats));
	for (size_t i = 0; i < sampling->n_orders; i++) {
		json_t *order = json_object();

		put_text(order, "hash", sampling->orders[i].hash);
		put_number(order, "count", sampling->orders[i].count);
		report_json_append(array, order);
	}
	if (sampling->has_orders) {
		put_number(object, "distinct_orders", sampling->distinct_orders);
		report_json_put(object, "entropy", json_real(sampling->entropy));
		report_json_put(object, "new_probability", json_real(sampling->new_probability));
		report_json_put(object, "unseen_orders", json_real(sampling->unseen_orders));
		report_json_put(object, "orders", array);
	} else {
		json_decref(array);
	}
	return object;
}

static json_t *samplings(const struct rfs_report_sampling *list, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		report_json_append(array, sampling(&list[i]));
	return array;
}

static json_t *proof_of(const struct rfs_report_proof *proof)
{
	json_t *object = json_object(), *array = json_array();

	put_text(object, "points", rfs_points_name(proof->points));
	put_number(object, "places", proof->places);
	report_json_put(object, "all", json_boolean(proof->all));
	put_number(object, "strayed", proof->strayed);
	put_number(object, "inconclusive", proof->inconclusive);
	for (size_t i = 0; i < proof->n; i++) {
		const struct rfs_report_proof_round *round = &proof->rounds[i];
		json_t *part = json_object();

		if (round->bounded)
			put_number(part, "preemptions", round->bound);
		report_json_put(part, "ended", json_boolean(round->ended));
		put_number(part, "executions", round->executions);
		put_number(part, "redundant", round->redundant);
		put_number(part, "failures", round->failures);
		put_number(part, "left", round->left);
		report_json_append(array, part);
	}
	report_json_put(object, "rounds", array);
	return object;
}

static json_t *misuses(const struct rfs_report_misuses *misuses)
{
	json_t *array = json_array();

	for (size_t i = 0; i < misuses->n; i++) {
		const struct rfs_report_misuse *misuse = &misuses->list[i];
		json_t *object = json_object();

		put_text(object, "kind", misuse->kind);
		put_text(object, "what", misuse->what);
		report_json_put(object, "thread", json_integer(misuse->thread));
		if (misuse->other >= 0)
			report_json_put(object, "other_thread", json_integer(misuse->other));
		put_number(object, "runs", misuse->runs);
		put_number(object, "seed", misuse->seed);
		report_json_put(object, "stack", stack(&misuse->stack));
		if (misuse->acquired.n_frames)
			report_json_put(object, "acquired", stack(&misuse->acquired));
		report_json_append(array, object);
	}
	return array;
}

static void put_head(json_t *object, const struct rfs_report *report)
{
	json_t *part, *array;

	put_number(object, "schema", SCHEMA);
	put_text(object, "version", RFS_VERSION);
	report_json_put(object, "program", strings(&report->program));
	put_number(object, "seed", report->seed);
	put_text(object, "incomplete", report->incomplete ? report->incomplete : report->uncontrolled);
	put_text(object, "cut", report->cut);
	if (report->threaded) {
		part = json_object();
		put_number(part, "processes", report->threaded);
		report_json_put(part, "programs", strings(&report->beside));
		report_json_put(object, "threaded_children", part);
	}
	if (report->warnings.n_items)
		report_json_put(object, "warnings", strings(&report->warnings));
	if (report->checked) {
		part = json_object();
		put_number(part, "runs", report->checked);
		report_json_put(part, "deterministic", json_boolean(!report->check_difference));
		put_text(part, "difference", report->check_difference);
		report_json_put(object, "self_check", part);
	}
	if (report->has_plain) {
		part = json_object();
		put_number(part, "runs", report->plain_runs);
		put_number(part, "failures", report->plain_failures);
		if (report->plain_timeouts)
			put_number(part, "timeouts", report->plain_timeouts);
		if (report->plain_asleep)
			put_number(part, "asleep", report->plain_asleep);
		put_text(part, "failure", report->plain_failure);
		report_json_put(object, "plain", part);
	}
	if (report->n_phases)
		report_json_put(object, "phases", phases(report));
	array = json_array();
	for (size_t i = 0; i < report->n_modules; i++) {
		part = json_object();
		put_text(part, "name", report->modules[i].name);
		put_text(part, "build_id", report->modules[i].build_id);
		report_json_append(array, part);
	}
	report_json_put(object, "modules", array);
	if (report->measured) {
		part = json_object();
		put_number(part, "operations", report->measured);
		report_json_put(part, "seconds", json_real(report->measure_seconds));
		report_json_put(object, "measure", part);
	}
	if (report->has_predict) {
		part = json_object();
		put_number(part, "runs", report->predict_runs);
		put_number(part, "pairs", report->predict_pairs);
		report_json_put(part, "seconds", json_real(report->predict_seconds));
		if (report->later_runs) {
			put_number(part, "later_runs", report->later_runs);
			put_number(part, "later_pairs", report->later_pairs);
		}
		report_json_put(object, "predict", part);
	}
}

void rfs_report_write_json(const struct rfs_report *report, FILE *out)
{
	json_t *object = json_object(), *array = json_array();
	char *printed;

	put_head(object, report);
	for (size_t i = 0; i < report->n_pairs; i++)
		report_json_append(array, pair(&report->pairs[i]));
	report_json_put(object, "pairs", array);
	array = json_array();
	for (size_t i = 0; i < report->n_deadlocks; i++)
		report_json_append(array, deadlock(&report->deadlocks[i]));
	report_json_put(object, "deadlocks", array);
	if (report->cycles.n)
		report_json_put(object, "predicted_deadlocks", cycles(&report->cycles));
	array = json_array();
	for (size_t i = 0; i < report->n_failures; i++)
		report_json_append(array, failure(&report->failures[i]));
	report_json_put(object, "failures", array);
	if (report->misuses.n)
		report_json_put(object, "misuses", misuses(&report->misuses));
	if (report->proof.made)
		report_json_put(object, "proof", proof_of(&report->proof));
	if (report->n_samplings == 1)
		report_json_put(object, "sampling", sampling(&report->samplings[0]));
	if (report->n_samplings > 1)
		report_json_put(object, "samplings", samplings(report->samplings, report->n_samplings));
	if (report->n_explored)
		report_json_put(object, "explore", samplings(report->explored, report->n_explored));
	if (report->n_stats)
		report_json_put(object, "stats", counters(report->stats, report->n_stats));
	printed = json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	if (!printed)
		die("out of memory while writing the JSON report");
	fprintf(out, "%s\n", printed);
	free(printed);
	json_decref(object);
}
