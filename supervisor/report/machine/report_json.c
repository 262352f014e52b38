/* Writes the JSON object of rfsup-report(5). Keys that do not apply are absent. Keys are in the order of the manual. */
#include "supervisor/report/machine/report_json.h"

#include "supervisor/report/data/report.h"

#include <jansson.h>

#include "supervisor/base/text/op_text.h"
#include "supervisor/base/version.h"
#include "supervisor/record/run_options.h"
#include "supervisor/report/data/report_misuse.h"
#include "supervisor/report/data/report_proof.h"
#include "supervisor/report/machine/json_pair_groups.h"
#include "supervisor/report/machine/json_put.h"
#include "supervisor/report/machine/json_suppressed.h"
#include "supervisor/report/machine/json_triage.h"

#define SCHEMA 1

static json_t *report_json_strings(const struct rfs_report_strings *list)
{
	return rfs_json_strings(list->items, list->n_items);
}

static void report_json_put_place(json_t *object, const struct rfs_source_place *place)
{
	rfs_json_put_text(object, "module", place->module);
	rfs_json_put_number(object, "offset", place->offset);
	rfs_json_put_text(object, "file", place->file);
	if (place->line)
		rfs_json_put_number(object, "line", place->line);
	if (place->column)
		rfs_json_put_number(object, "column", place->column);
	rfs_json_put_text(object, "function", place->function);
	rfs_json_put_text(object, "near", place->near);
}

static json_t *stack(const struct rfs_source_stack *frames)
{
	json_t *array = json_array();

	for (size_t i = 0; i < frames->n_frames; i++) {
		json_t *frame = json_object();

		report_json_put_place(frame, &frames->frames[i]);
		rfs_json_append(array, frame);
	}
	return array;
}

static json_t *report_json_statement(const struct rfs_report_statement *statement)
{
	json_t *object = json_object();

	report_json_put_place(object, &statement->place);
	if (statement->access)
		rfs_json_put_text(object, "access", rfs_access_text(statement->access, RFS_ACCESS_NOUN));
	if (statement->seen) {
		rfs_json_put_number(object, "address", statement->address);
		rfs_json_put_number(object, "size", statement->size);
		rfs_json_put_number(object, "thread", (uint64_t)statement->thread);
		if (statement->process)
			rfs_json_put_number(object, "process", (uint64_t)statement->process);
		if (statement->handler)
			rfs_json_put_number(object, "handler_of_signal", (uint64_t)statement->handler);
		if (statement->team_size) {
			rfs_json_put_number(object, "openmp_thread", statement->team_number);
			rfs_json_put_number(object, "openmp_team", statement->team_size);
		}
		if (statement->stale)
			rfs_json_put(object, "stale", json_true());
		rfs_json_put(object, "locks", report_json_strings(&statement->locks));
	}
	if (statement->stack.n_frames)
		rfs_json_put(object, "stack", stack(&statement->stack));
	return object;
}

static void put_identity(json_t *object, const struct rfs_report_identity *identity)
{
	rfs_json_put_text(object, "id", identity->id);
	rfs_json_put_text(object, "fingerprint", identity->fingerprint);
	if (identity->known)
		rfs_json_put(object, "known", json_true());
}

/* Adds which suppression hides it. number: 0: none. Returns the object. */
static json_t *suppressed(json_t *object, const struct rfs_report *report, size_t number)
{
	rfs_json_put_suppressed(object, &report->suppressions, number);
	return object;
}

static void report_json_put_shown(json_t *object, const struct rfs_report_shown *shown)
{
	rfs_json_put_text(object, "output", shown->output);
	if (shown->stack.n_frames)
		rfs_json_put(object, "failing_stack", stack(&shown->stack));
	rfs_json_put_text(object, "differs", shown->differs);
	rfs_json_put_text(object, "story", shown->story);
	rfs_json_put_text(object, "no_story", shown->no_story);
	if (shown->story) {
		rfs_json_put_number(object, "story_switches", shown->story_switches);
		rfs_json_put_number(object, "story_runs", shown->story_runs);
	}
	if (shown->needs_delays)
		rfs_json_put(object, "needs_delays", json_true());
	rfs_json_put_text(object, "faults", shown->faults);
	rfs_json_put_text(object, "block", shown->block);
	if (shown->without_faults != RFS_WITHOUT_UNKNOWN)
		rfs_json_put(object, "needs_faults", json_boolean(shown->without_faults == RFS_WITHOUT_PASSES));
	rfs_json_put_text(object, "simple", shown->simple);
	rfs_json_put_text(object, "page", shown->page);
}

static json_t *two_numbers(const uint64_t numbers[2])
{
	json_t *array = json_array();

	rfs_json_append(array, json_integer((json_int_t)numbers[0]));
	rfs_json_append(array, json_integer((json_int_t)numbers[1]));
	return array;
}

static json_t *orders(const struct rfs_report_orders *orders)
{
	json_t *object = json_object();

	rfs_json_put_number(object, "tests", orders->tests);
	rfs_json_put_number(object, "race", orders->race);
	rfs_json_put(object, "runs", two_numbers(orders->runs));
	rfs_json_put(object, "failed", two_numbers(orders->failed));
	rfs_json_put(object, "p", json_real(orders->p));
	rfs_json_put(object, "corrected", json_real(orders->corrected));
	return object;
}

static json_t *pair(const struct rfs_report_pair *pair)
{
	json_t *object = json_object(), *array = json_array();

	put_identity(object, &pair->identity);
	rfs_json_append(array, report_json_statement(&pair->statement[0]));
	rfs_json_append(array, report_json_statement(&pair->statement[1]));
	rfs_json_put(object, "statements", array);
	rfs_json_put_text(object, "verdict", rfs_verdict_words(pair->verdict)->name);
	rfs_json_put(object, "atomic", json_boolean(pair->atomic));
	rfs_json_put_text(object, "variable", pair->variable);
	rfs_json_put_number(object, "planned", pair->planned);
	rfs_json_put_number(object, "runs", pair->runs);
	if (pair->timeouts)
		rfs_json_put_number(object, "timeouts", pair->timeouts);
	rfs_json_put(object, "reached", two_numbers(pair->reached));
	if (pair->tried)
		rfs_json_put(object, "joint_runs", json_integer((json_int_t)pair->tried));
	if (pair->executed[0] || pair->executed[1]) {
		rfs_json_put(object, "executed", two_numbers(pair->executed));
		rfs_json_put(object, "stopped", two_numbers(pair->stopped));
	}
	rfs_json_put_number(object, "confirmed", pair->confirmed);
	rfs_json_put_number(object, "failures", pair->failures);
	if (pair->failed) {
		json_t *failure = json_object();

		rfs_json_put_text(failure, "kind", rfs_failure_name(pair->kind));
		rfs_json_put_text(failure, "detail", pair->detail);
		if (pair->said.n_items)
			rfs_json_put(failure, "said", report_json_strings(&pair->said));
		rfs_json_put(failure, "attributed", json_boolean(pair->attributed));
		if (pair->orders.tests)
			rfs_json_put(failure, "orders", orders(&pair->orders));
		if (pair->not_replayed)
			rfs_json_put(failure, "not_replayed", json_true());
		rfs_json_put(object, "failure", failure);
	}
	if (pair->output.runs[0]) {
		json_t *output = json_object();

		rfs_json_put(output, "runs", two_numbers(pair->output.runs));
		rfs_json_put_text(output, "this_order", pair->output.line[0]);
		rfs_json_put_text(output, "other_order", pair->output.line[1]);
		rfs_json_put(object, "output_depends", output);
	}
	if (pair->has_seed)
		rfs_json_put_number(object, "seed", pair->seed);
	rfs_json_put_text(object, "record", pair->record);
	report_json_put_shown(object, &pair->shown);
	return object;
}

static json_t *report_json_acquisitions(const struct rfs_report_waiter *waiter)
{
	json_t *array = json_array();

	for (size_t i = 0; i < waiter->n_acquired; i++) {
		json_t *acquisition = json_object();

		rfs_json_put_text(acquisition, "lock", waiter->acquired[i].lock);
		rfs_json_put(acquisition, "stack", stack(&waiter->acquired[i].stack));
		rfs_json_append(array, acquisition);
	}
	return array;
}

static json_t *threads(const struct rfs_report_waiter *list, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *thread = json_object();

		rfs_json_put_number(thread, "thread", (uint64_t)list[i].thread);
		if (list[i].process)
			rfs_json_put_number(thread, "process", list[i].process);
		rfs_json_put_text(thread, "waits_for", list[i].waits_for);
		rfs_json_put(thread, "holds", report_json_strings(&list[i].holds));
		if (list[i].n_acquired)
			rfs_json_put(thread, "acquired", report_json_acquisitions(&list[i]));
		rfs_json_put(thread, "stack", stack(&list[i].stack));
		rfs_json_append(array, thread);
	}
	return array;
}

static json_t *report_json_lock(const struct rfs_report_lock *lock)
{
	json_t *object;

	if (!lock->place)
		return json_null();
	object = json_object();
	rfs_json_put_text(object, "lock", lock->name);
	report_json_put_place(object, lock->place);
	if (lock->stack.n_frames)
		rfs_json_put(object, "stack", stack(&lock->stack));
	return object;
}

/* What the failure of a violation goes along with: a deadlock, or the violation that it is another sign of. */
static json_t *goes_along_with(const struct rfs_report_violation *violation)
{
	json_t *object = json_object();

	if (violation->shown_by)
		rfs_json_put_number(object, "violation", violation->shown_by);
	if (violation->goes_along)
		rfs_json_put_text(object, "deadlock", violation->failure);
	return object;
}

/* Predicted deadlocks of different threads, and inversions by one thread. */
static json_t *cycles(const struct rfs_report *report)
{
	const struct rfs_report_cycles *cycles = &report->cycles;
	json_t *array = json_array();

	for (size_t i = 0; i < cycles->n; i++) {
		const struct rfs_report_cycle *cycle = &cycles->list[i];
		json_t *object = json_object(), *parts = json_array();

		if (cycle->one_thread)
			rfs_json_put(object, "one_thread", json_true());
		rfs_json_put_number(object, "planned", cycle->planned);
		rfs_json_put_number(object, "runs", cycle->runs);
		rfs_json_put_number(object, "timeouts", cycle->timeouts);
		rfs_json_put_number(object, "created", cycle->created);
		for (size_t k = 0; k < cycle->n_parts; k++) {
			json_t *part = json_object();

			if (cycle->parts[k].has_thread)
				rfs_json_put_number(part, "thread", (uint64_t)cycle->parts[k].thread);
			rfs_json_put(part, "holds", report_json_lock(&cycle->parts[k].held));
			rfs_json_put(part, "wants", report_json_lock(&cycle->parts[k].wanted));
			rfs_json_append(parts, part);
		}
		rfs_json_put(object, "threads", parts);
		rfs_json_append(array, suppressed(object, report, cycle->suppressed));
	}
	return array;
}

static json_t *violation_access(const struct rfs_report_violation_access *access)
{
	json_t *object = json_object();

	report_json_put_place(object, &access->place);
	if (access->access)
		rfs_json_put_text(object, "access", rfs_access_text(access->access, RFS_ACCESS_NOUN));
	if (access->thread >= 0)
		rfs_json_put_number(object, "thread", (uint64_t)access->thread);
	return object;
}

static json_t *violations(const struct rfs_report *report)
{
	const struct rfs_report_violations *violations = &report->violations;
	json_t *array = json_array();

	for (size_t i = 0; i < violations->n; i++) {
		const struct rfs_report_violation *violation = &violations->list[i];
		json_t *object = json_object();

		if (violation->order)
			rfs_json_put(object, "order", json_true());
		rfs_json_put_text(object, "pattern", violation->pattern);
		rfs_json_put_text(object, "variable", violation->variable);
		rfs_json_put_text(object, "second_variable", violation->beside);
		rfs_json_put_text(object, "lock", violation->lock);
		rfs_json_put(object, "first", violation_access(&violation->first));
		rfs_json_put(object, "remote", violation_access(&violation->remote));
		rfs_json_put(object, "second", violation_access(&violation->second));
		if (violation->is_double)
			rfs_json_put(object, "remote_second", violation_access(&violation->also));
		rfs_json_put_number(object, "planned", violation->planned);
		rfs_json_put_number(object, "runs", violation->runs);
		rfs_json_put_number(object, "timeouts", violation->timeouts);
		rfs_json_put_number(object, "created", violation->created);
		rfs_json_put_number(object, "failures", violation->failed);
		rfs_json_put_text(object, "detail", violation->detail);
		if (violation->orders.tests)
			rfs_json_put(object, "orders", orders(&violation->orders));
		if (violation->failure[0])
			rfs_json_put_text(object, "failure", violation->failure);
		rfs_json_put(object, "harmful", violation->harmful ? json_true() : json_false());
		if (violation->shown_by || violation->goes_along)
			rfs_json_put(object, "goes_along_with", goes_along_with(violation));
		rfs_json_append(array, suppressed(object, report, violation->suppressed));
	}
	return array;
}

/* How the replay of a reported run ended. */
static void put_replayed(json_t *object, const struct rfs_report_run *run)
{
	static const char *const keys[] = {
		[RFS_REPLAY_NOT_YET] = "not_replayed",
		[RFS_REPLAY_SAME] = NULL,
		[RFS_REPLAY_ALIKE] = "alike",
		[RFS_REPLAY_DIFFERENT] = "not_reproduced",
	};

	if (keys[run->replayed])
		rfs_json_put(object, keys[run->replayed], json_true());
	rfs_json_put_text(object, "difference", run->difference);
	rfs_json_put_text(object, "reason", run->reason);
}

static void put_run(json_t *object, const struct rfs_report_run *run)
{
	rfs_json_put_number(object, "seed", run->seed);
	rfs_json_put_text(object, "record", run->record);
	report_json_put_shown(object, &run->shown);
}

static json_t *deadlock(const struct rfs_report_deadlock *deadlock)
{
	json_t *object = json_object();

	put_identity(object, &deadlock->identity);
	rfs_json_put_number(object, "runs", deadlock->runs);
	rfs_json_put(object, "threads", threads(deadlock->threads, deadlock->n_threads));
	rfs_json_put_text(object, "phase", deadlock->run.phase);
	rfs_json_put_text(object, "policy", deadlock->run.policy);
	put_replayed(object, &deadlock->run);
	put_run(object, &deadlock->run);
	return object;
}

static json_t *failure(const struct rfs_report_failure *failure)
{
	json_t *object = json_object();

	put_identity(object, &failure->identity);
	rfs_json_put_text(object, "kind", rfs_failure_name(failure->kind));
	rfs_json_put_text(object, "detail", failure->detail);
	rfs_json_put_text(object, "phase", failure->run.phase);
	rfs_json_put_text(object, "policy", failure->run.policy);
	rfs_json_put_number(object, "runs", failure->runs);
	if (failure->said.n_items)
		rfs_json_put(object, "said", report_json_strings(&failure->said));
	if (failure->n_threads)
		rfs_json_put(object, "threads", threads(failure->threads, failure->n_threads));
	put_replayed(object, &failure->run);
	if (failure->plain)
		rfs_json_put(object, "plain", json_true());
	put_run(object, &failure->run);
	return object;
}

/* Integers are written without a decimal point, because counters must stay integers. */
static json_t *report_json_number(double value)
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

		rfs_json_put_text(object, "name", phase->name);
		rfs_json_put_number(object, "planned", phase->planned);
		rfs_json_put_number(object, "runs", phase->runs);
		if (phase->timeouts)
			rfs_json_put_number(object, "timeouts", phase->timeouts);
		if (phase->cut)
			rfs_json_put_number(object, "cut", phase->cut);
		rfs_json_append(array, object);
	}
	return array;
}

static json_t *counters(const struct rfs_report_stat *stats, size_t n)
{
	json_t *object = json_object();

	for (size_t i = 0; i < n; i++)
		rfs_json_put(object, stats[i].key, report_json_number(stats[i].value));
	return object;
}

static json_t *sampling(const struct rfs_report_sampling *sampling)
{
	json_t *object = json_object(), *array = json_array();

	rfs_json_put_text(object, "policy", sampling->policy);
	rfs_json_put_text(object, "options", sampling->options);
	rfs_json_put_text(object, "points", sampling->points);
	rfs_json_put_number(object, "runs", sampling->runs);
	rfs_json_put_number(object, "failures", sampling->failures);
	if (sampling->first_failure)
		rfs_json_put_number(object, "first_failure", sampling->first_failure);
	if (sampling->n_stats)
		rfs_json_put(object, "stats", counters(sampling->stats, sampling->n_stats));
	for (size_t i = 0; i < sampling->n_orders; i++) {
		json_t *order = json_object();

		rfs_json_put_text(order, "hash", sampling->orders[i].hash);
		rfs_json_put_number(order, "count", sampling->orders[i].count);
		rfs_json_append(array, order);
	}
	if (sampling->has_orders) {
		rfs_json_put_number(object, "distinct_orders", sampling->distinct_orders);
		rfs_json_put(object, "entropy", json_real(sampling->entropy));
		rfs_json_put(object, "new_probability", json_real(sampling->new_probability));
		rfs_json_put(object, "unseen_orders", json_real(sampling->unseen_orders));
		rfs_json_put(object, "orders", array);
	} else {
		json_decref(array);
	}
	return object;
}

static json_t *samplings(const struct rfs_report_sampling *list, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		rfs_json_append(array, sampling(&list[i]));
	return array;
}

static json_t *proof_of(const struct rfs_report_proof *proof)
{
	json_t *object = json_object(), *array = json_array();

	rfs_json_put_text(object, "points", rfs_points_name(proof->points));
	rfs_json_put_number(object, "places", proof->places);
	rfs_json_put(object, "all", json_boolean(proof->all));
	rfs_json_put_number(object, "strayed", proof->strayed);
	rfs_json_put_number(object, "inconclusive", proof->inconclusive);
	rfs_json_put_number(object, "shares_calls", proof->shares_calls);
	rfs_json_put(object, "failed_elsewhere", json_boolean(proof->failed_elsewhere));
	rfs_json_put_number(object, "repeated", proof->repeated);
	rfs_json_put(object, "torn", json_boolean(proof->torn));
	rfs_json_put_number(object, "timed", proof->timed);
	for (size_t i = 0; i < proof->n; i++) {
		const struct rfs_report_proof_round *round = &proof->rounds[i];
		json_t *part = json_object();

		if (round->bounded)
			rfs_json_put_number(part, "preemptions", round->bound);
		rfs_json_put(part, "ended", json_boolean(round->ended));
		rfs_json_put_number(part, "executions", round->executions);
		rfs_json_put_number(part, "redundant", round->redundant);
		rfs_json_put_number(part, "failures", round->failures);
		rfs_json_put_number(part, "left", round->left);
		rfs_json_append(array, part);
	}
	rfs_json_put(object, "rounds", array);
	return object;
}

static json_t *misuses(const struct rfs_report *report)
{
	const struct rfs_report_misuses *misuses = &report->misuses;
	json_t *array = json_array();

	for (size_t i = 0; i < misuses->n; i++) {
		const struct rfs_report_misuse *misuse = &misuses->list[i];
		json_t *object = json_object();

		put_identity(object, &misuse->identity);
		rfs_json_put_text(object, "kind", misuse->kind);
		rfs_json_put_text(object, "what", misuse->what);
		rfs_json_put_text(object, "error", misuse->error);
		rfs_json_put(object, "thread", json_integer(misuse->thread));
		if (misuse->other >= 0)
			rfs_json_put(object, "other_thread", json_integer(misuse->other));
		rfs_json_put_number(object, "runs", misuse->runs);
		rfs_json_put_number(object, "seed", misuse->seed);
		rfs_json_put(object, "stack", stack(&misuse->stack));
		if (misuse->earlier.n_frames)
			rfs_json_put(object, rfs_misuse_earlier_name(misuse->earlier_is), stack(&misuse->earlier));
		rfs_json_append(array, suppressed(object, report, misuse->identity.suppressed));
	}
	return array;
}

static json_t *report_json_parts(const struct rfs_report *report)
{
	json_t *array = json_array();

	for (size_t i = 0; i < report->predict_parts && i < RFS_REPORT_PARTS; i++) {
		json_t *part = json_object();

		rfs_json_put_number(part, "from", report->predict_part[i][0]);
		if (report->predict_part[i][1] != UINT64_MAX)
			rfs_json_put_number(part, "until", report->predict_part[i][1]);
		rfs_json_append(array, part);
	}
	return array;
}

static void report_json_put_head(json_t *object, const struct rfs_report *report)
{
	json_t *part, *array;

	rfs_json_put_number(object, "schema", SCHEMA);
	rfs_json_put_text(object, "version", rfs_version);
	rfs_json_put(object, "program", report_json_strings(&report->program));
	rfs_json_put_number(object, "seed", report->seed);
	rfs_json_put_text(object, "incomplete", report->incomplete ? report->incomplete : report->uncontrolled);
	if (report->next)
		rfs_json_put_text(object, "next", report->next);
	rfs_json_put_text(object, "part", report->part);
	if (report->process)
		rfs_json_put_text(object, "controlled_process", report->process);
	if (report->family)
		rfs_json_put(object, "controlled_forks", json_true());
	if (report->threaded) {
		part = json_object();
		rfs_json_put_number(part, "processes", report->threaded);
		rfs_json_put(part, "programs", report_json_strings(&report->beside));
		rfs_json_put(object, "threaded_children", part);
	}
	if (report->warnings.n_items)
		rfs_json_put(object, "warnings", report_json_strings(&report->warnings));
	if (report->checked) {
		part = json_object();
		rfs_json_put_number(part, "runs", report->checked);
		rfs_json_put(part, "deterministic", json_boolean(!report->check_difference));
		rfs_json_put_text(part, "difference", report->check_difference);
		rfs_json_put(object, "self_check", part);
	}
	if (report->has_plain) {
		part = json_object();
		rfs_json_put_number(part, "runs", report->plain_runs);
		rfs_json_put_number(part, "failures", report->plain_failures);
		if (report->plain_timeouts)
			rfs_json_put_number(part, "timeouts", report->plain_timeouts);
		if (report->plain_asleep)
			rfs_json_put_number(part, "asleep", report->plain_asleep);
		rfs_json_put_text(part, "failure", report->plain_failure);
		if (report->own.failed) {
			json_t *always = json_object();

			rfs_json_put_number(always, report->own.signal ? "signal" : "status", report->own.number);
			rfs_json_put(part, "always", always);
		}
		rfs_json_put(object, "plain", part);
	}
	if (report->n_phases)
		rfs_json_put(object, "phases", phases(report));
	array = json_array();
	for (size_t i = 0; i < report->n_modules; i++) {
		part = json_object();
		rfs_json_put_text(part, "name", report->modules[i].name);
		rfs_json_put_text(part, "build_id", report->modules[i].build_id);
		rfs_json_append(array, part);
	}
	rfs_json_put(object, "modules", array);
	if (report->measured) {
		part = json_object();
		rfs_json_put_number(part, "operations", report->measured);
		rfs_json_put(part, "seconds", json_real(report->measure_seconds));
		rfs_json_put(object, "measure", part);
	}
	if (report->has_predict) {
		part = json_object();
		rfs_json_put_number(part, "runs", report->predict_runs);
		rfs_json_put_number(part, "pairs", report->predict_pairs);
		rfs_json_put(part, "seconds", json_real(report->predict_seconds));
		if (report->predict_parts)
			rfs_json_put(part, "parts", report_json_parts(report));
		if (report->later_runs) {
			rfs_json_put_number(part, "later_runs", report->later_runs);
			rfs_json_put_number(part, "later_pairs", report->later_pairs);
		}
		rfs_json_put(object, "predict", part);
	}
}

void rfs_report_write_json(const struct rfs_report *report, FILE *out)
{
	json_t *object = json_object(), *array = json_array();

	report_json_put_head(object, report);
	for (size_t i = 0; i < report->n_pairs; i++)
		rfs_json_append(array,
				suppressed(pair(&report->pairs[i]), report, report->pairs[i].identity.suppressed));
	rfs_json_put(object, "pairs", array);
	if (report->n_pairs)
		rfs_json_put(object, "pair_groups", rfs_json_pair_groups(report));
	array = json_array();
	for (size_t i = 0; i < report->n_deadlocks; i++)
		rfs_json_append(array, suppressed(deadlock(&report->deadlocks[i]), report,
						  report->deadlocks[i].identity.suppressed));
	rfs_json_put(object, "deadlocks", array);
	if (report->cycles.n)
		rfs_json_put(object, "predicted_deadlocks", cycles(report));
	if (report->violations.n)
		rfs_json_put(object, "predicted_violations", violations(report));
	array = json_array();
	for (size_t i = 0; i < report->n_failures; i++)
		rfs_json_append(array, failure(&report->failures[i]));
	rfs_json_put(object, "failures", array);
	if (report->proof.made)
		rfs_json_put(object, "proof", proof_of(&report->proof));
	if (report->misuses.n)
		rfs_json_put(object, "misuses", misuses(report));
	if (report->suppressions.n)
		rfs_json_put(object, "suppressions", rfs_json_suppressions(&report->suppressions));
	rfs_json_put_text(object, "generated_suppressions", report->suppressions.generated);
	if (report->triage.file)
		rfs_json_put(object, "triage", rfs_json_triage(&report->triage));
	if (report->n_samplings == 1)
		rfs_json_put(object, "sampling", sampling(&report->samplings[0]));
	if (report->n_samplings > 1)
		rfs_json_put(object, "samplings", samplings(report->samplings, report->n_samplings));
	if (report->n_explored)
		rfs_json_put(object, "explore", samplings(report->explored, report->n_explored));
	if (report->n_stats)
		rfs_json_put(object, "stats", counters(report->stats, report->n_stats));
	rfs_json_print(object, out);
}
