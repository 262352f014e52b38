#include "supervisor/campaign/output/campaign_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/error.h"
#include "supervisor/base/output.h"
#include "supervisor/campaign/decisions/baseline.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/executions/tally.h"
#include "supervisor/campaign/executions/warnings.h"
#include "supervisor/campaign/executions/whereabouts.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/failures/saved_run.h"
#include "supervisor/campaign/failures/saved_run_report.h"
#include "supervisor/campaign/output/reasons.h"
#include "supervisor/campaign/phases/orders.h"
#include "supervisor/campaign/phases/plan_items.h"
#include "supervisor/campaign/phases/sampling.h"
#include "supervisor/campaign/predicted/cycles.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/predicted/pair_report.h"
#include "supervisor/campaign/predicted/suppress.h"
#include "supervisor/campaign/predicted/violation_names.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/program.h"
#include "supervisor/campaign/settings/samplers.h"
#include "supervisor/campaign/settings/settings.h"
#include "supervisor/campaign/triage/triage.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/nondet.h"
#include "supervisor/record/run_options.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_cycle.h"
#include "supervisor/report/data/report_proof.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/symbols/place.h"
#include "supervisor/symbols/symbolize.h"

/* ---- failures and deadlocks ---- */

/* Whether another thread of the list waits for this lock. */
static bool campaign_report_is_awaited(const struct rfs_waiters *waiters, const struct rfs_waiter *holder,
				       const struct rfs_object *lock)
{
	for (size_t i = 0; i < waiters->n; i++)
		if (&waiters->list[i] != holder && waiters->list[i].waits_for.address == lock->address)
			return true;
	return false;
}

static void fill_waiter(struct rfs_campaign *c, const struct rfs_waiters *waiters, size_t number,
			struct rfs_report_waiter *out)
{
	const struct rfs_waiter *waiter = &waiters->list[number];

	out->thread = waiter->thread;
	out->waits_for = waiter->operation == RFS_OP_NONE ? NULL : rfs_waits_text(c->symbols, waiter);
	out->by_name = waiter->operation == RFS_OP_COND_WAKE && waiter->waits_for.kind == RFS_MEMORY_STATIC;
	rfs_report_objects(c, waiter->holds, waiter->n_holds, &out->holds);
	rfs_symbols_stack(c->symbols, waiter->stack, waiter->n_stack, &out->stack);
	for (size_t i = 0; i < waiter->n_acquired && i < waiter->n_holds; i++) {
		const struct rfs_acquisition *acquired = &waiter->acquired[i];
		char *name;

		if (!acquired->n_stack || !campaign_report_is_awaited(waiters, waiter, &waiter->holds[i]))
			continue;
		name = rfs_symbols_lock(c->symbols, &waiter->holds[i]);
		rfs_symbols_stack(c->symbols, acquired->stack, acquired->n_stack,
				  &rfs_report_add_acquisition(out, name ? name : xstrdup("the lock"))->stack);
	}
}

static void fill_deadlock(struct rfs_campaign *c, const struct rfs_finding *finding, struct rfs_report_deadlock *out)
{
	const struct rfs_run_result *result = &finding->first->result;

	out->runs = finding->runs;
	out->not_reproduced = finding->first->replayed == RFS_REPLAY_DIFFERENT;
	out->not_replayed = finding->first->replayed == RFS_REPLAY_NOT_YET;
	out->alike = finding->first->replayed == RFS_REPLAY_ALIKE;
	out->difference = finding->first->difference ? xstrdup(finding->first->difference) : NULL;
	out->reason = finding->first->reason ? xstrdup(finding->first->reason) : NULL;
	out->phase = xstrdup(finding->phase);
	out->policy = xstrdup(finding->policy);
	out->seed = finding->first->execution.spec.seed;
	out->record = rfs_campaign_record(c, finding->first->execution.name, "json");
	rfs_saved_run_report_fill(c, finding->first, &out->shown);
	out->cycle = true;
	for (size_t i = 0; i < result->deadlock.n; i++)
		out->cycle &= rfs_waits_for_another(&result->deadlock, &result->deadlock.list[i]);
	for (size_t i = 0; i < result->deadlock.n; i++) {
		struct rfs_report_waiter *waiter = rfs_report_add_waiter(out);

		fill_waiter(c, &result->deadlock, i, waiter);
		waiter->behind = !out->cycle && rfs_waits_for_another(&result->deadlock, &result->deadlock.list[i]);
	}
}

/* Whether another failure differs only by what the program said. */
static bool says_other(const struct rfs_campaign *c, const struct rfs_finding *finding)
{
	for (size_t i = 0; i < c->findings->n; i++)
		if (&c->findings->list[i] != finding && rfs_failure_key_at(&c->findings->list[i].key, &finding->key))
			return true;
	return false;
}

/* What the failure is, and where; what the program said, if only that tells it from another one. Caller frees. */
static char *failure_detail(const struct rfs_campaign *c, const struct rfs_finding *finding)
{
	const struct rfs_failure_key *key = &finding->key;
	const bool says = key->message && says_other(c, finding);
	char *detail, *text;

	if (key->signature.kind == RFS_FAILURE_HANG)
		return rfs_report_hang(&finding->first->result);
	detail = rfs_signature_detail(&key->signature);
	if (!detail || (!key->where && !says))
		return detail;
	text = xasprintf("%s%s%s%s%s", detail, key->where ? " in " : "", key->where ? key->where : "", says ? ": " : "",
			 says ? key->message : "");
	free(detail);
	return text;
}

static void fill_failure(struct rfs_campaign *c, const struct rfs_finding *finding, struct rfs_report_failure *out)
{
	const struct rfs_run_result *result = &finding->first->result;

	out->kind = finding->key.signature.kind;
	out->number = finding->key.signature.detail;
	out->detail = failure_detail(c, finding);
	for (size_t i = 0; i < result->threads.n && out->kind == RFS_FAILURE_HANG; i++)
		fill_waiter(c, &result->threads, i, rfs_report_add_thread(out));
	out->phase = xstrdup(finding->phase);
	out->policy = xstrdup(finding->policy);
	out->runs = finding->runs;
	out->not_reproduced = finding->first->replayed == RFS_REPLAY_DIFFERENT;
	out->not_replayed = finding->first->replayed == RFS_REPLAY_NOT_YET;
	out->alike = finding->first->replayed == RFS_REPLAY_ALIKE;
	out->difference = finding->first->difference ? xstrdup(finding->first->difference) : NULL;
	out->reason = finding->first->reason ? xstrdup(finding->first->reason) : NULL;
	out->plain = finding->plain;
	out->seed = finding->first->execution.spec.seed;
	rfs_report_said(c, finding->first, &out->said);
	if (finding->first->execution.spec.policy) /* an uncontrolled run has no record */
		out->record = rfs_campaign_record(c, finding->first->execution.name, "json");
	rfs_saved_run_report_fill(c, finding->first, &out->shown);
}

/* ---- samplings, reasons, numbers ---- */

static void fill_orders(const struct rfs_orders *orders, struct rfs_report_sampling *out)
{
	struct rfs_orders_summary summary = rfs_orders_summarise(orders);
	struct rfs_order_count *list;
	size_t n = rfs_orders_list(orders, &list);

	out->has_orders = true;
	out->distinct_orders = summary.distinct;
	out->entropy = summary.entropy;
	out->new_probability = summary.new_probability;
	out->unseen_orders = summary.unseen;
	for (size_t i = 0; i < n; i++) {
		struct rfs_report_order *order = rfs_report_add_order(out);

		order->hash = xasprintf("%016" PRIx64 "%016" PRIx64, list[i].hash[0], list[i].hash[1]);
		order->count = list[i].count;
	}
	free(list);
}

static void fill_sampling(const struct rfs_campaign *c, const struct rfs_sampling *sampling, enum rfs_points points,
			  struct rfs_report_sampling *out)
{
	const struct rfs_options *options = c->options;
	bool native = rfs_sampler_is_native(sampling->sampler);

	out->policy = xstrdup(sampling->sampler->name);
	out->options = sampling->sampler->options ? xstrdup(sampling->sampler->options) : NULL;
	if (!native)
		out->points = xstrdup(rfs_points_name(options->points_given ? options->run.points : points));
	out->runs = sampling->runs;
	out->failures = sampling->failures;
	out->first_failure = sampling->first_failure;
	for (size_t i = 0; i < sampling->stats.n; i++)
		rfs_report_add_counter(out, sampling->stats.list[i].key, (double)sampling->stats.list[i].value);
	if (options->mode == RFS_MODE_SAMPLE && !native)
		fill_orders(&sampling->orders, out);
}

static void fill_samplings(struct rfs_campaign *c, struct rfs_report *report)
{
	for (size_t i = 0; i < c->samplings->n; i++)
		if (c->options->mode == RFS_MODE_SAMPLE)
			fill_sampling(c, &c->samplings->list[i], RFS_POINTS_SYNC, rfs_report_add_sampling(report));
		else if (c->samplings->list[i].runs)
			fill_sampling(c, &c->samplings->list[i], RFS_POINTS_RACES, rfs_report_add_explored(report));
}

/*
 * Adds one number for each kind of nondeterminism: in how many runs it occurred. Kinds that did not occur are left
 * out.
 */
static void add_outside(const struct rfs_campaign *c, struct rfs_report *report)
{
	static const char *const keys[] = {
		[RFS_NONDET_NETWORK] = "outside_network",     [RFS_NONDET_TERMINAL] = "outside_terminal",
		[RFS_NONDET_PROCESSES] = "outside_processes", [RFS_NONDET_SHARED_MEMORY] = "outside_shared_memory",
		[RFS_NONDET_FILES] = "outside_files",	      [RFS_NONDET_CLOCK] = "outside_clock",
		[RFS_NONDET_ADDRESSES] = "outside_addresses", [RFS_NONDET_DEVICES] = "outside_devices",
		[RFS_NONDET_KERNEL] = "outside_kernel",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (c->tally->outside[i])
			rfs_report_add_stat(report, keys[i], (double)c->tally->outside[i]);
}

static double phase_seconds(const struct rfs_campaign *c, const char *name)
{
	for (size_t i = 0; i < c->phases->n; i++)
		if (strcmp(c->phases->list[i].name, name) == 0)
			return c->phases->list[i].seconds;
	return 0;
}

static void campaign_report_add_stats(struct rfs_campaign *c, struct rfs_report *report)
{
	double seconds = rfs_clock() - c->started;
	size_t sites = 0;

	for (size_t i = 0; i < c->tally->n_modules; i++)
		sites += c->tally->modules[i].sites;
	add_outside(c, report);
	rfs_report_add_stat(report, "seconds", seconds);
	rfs_report_add_stat(report, "plain_seconds", c->plain_seconds);
	rfs_report_add_stat(report, "measure_seconds", c->measure_seconds);
	rfs_report_add_stat(report, "predict_seconds", phase_seconds(c, "predict"));
	rfs_report_add_stat(report, "confirm_seconds", phase_seconds(c, "confirm"));
	rfs_report_add_stat(report, "explore_seconds", phase_seconds(c, "explore") + phase_seconds(c, "sample"));
	if (c->proof->made)
		rfs_report_add_stat(report, "prove_seconds", phase_seconds(c, "prove"));
	rfs_report_add_stat(report, "plain_cpu_seconds", c->baseline->cpu_seconds);
	rfs_report_add_stat(report, "target_cpu_seconds", c->tally->cpu_seconds);
	rfs_report_add_stat(report, "supervisor_cpu_seconds", c->tally->own_cpu_seconds);
	rfs_report_add_stat(report, "runs", (double)c->tally->runs);
	rfs_report_add_stat(report, "served_runs", (double)rfs_pool_served(c->pool));
	if (c->tally->first_failure)
		rfs_report_add_stat(report, "runs_to_first_failure", (double)c->tally->first_failure);
	rfs_report_add_stat(report, "restarts", (double)rfs_pool_restarts(c->pool));
	rfs_report_add_stat(report, "timeouts", (double)c->tally->timeouts);
	rfs_report_add_stat(report, "uncontrolled", (double)c->tally->n_uncontrolled);
	rfs_report_add_stat(report, "threads", (double)c->tally->max_threads);
	rfs_report_add_stat(report, "threaded_children", (double)c->tally->max_threaded);
	rfs_report_add_stat(report, "watched_sites", (double)sites);
	rfs_report_add_stat(report, "spin_sites", (double)rfs_pool_spin(c->pool)->n);
	rfs_report_add_stat(report, "stubs_single", (double)c->tally->stub_single);
	rfs_report_add_stat(report, "stubs_grouped", (double)c->tally->stub_groups);
	rfs_report_add_stat(report, "stubs_padded", (double)c->tally->stub_padded);
	rfs_report_add_stat(report, "stubs_learned", (double)c->tally->learned);
	rfs_report_add_stat(report, "accesses", (double)c->tally->accesses);
	rfs_report_add_stat(report, "accesses_recorded", (double)c->tally->recorded);
	rfs_report_add_stat(report, "accesses_dropped", (double)c->tally->dropped);
	rfs_report_add_stat(report, "detector_bytes", (double)c->tally->max_memory);
	rfs_report_add_stat(report, "detector_forgot", (double)c->tally->forgotten);
	rfs_report_add_stat(report, "steps", (double)c->tally->steps);
	rfs_report_add_stat(report, "steps_recorded", (double)c->tally->steps_recorded);
	rfs_report_add_stat(report, "stops", (double)c->tally->stops);
	rfs_report_add_stat(report, "races_created", (double)c->tally->races);
	rfs_report_add_stat(report, "livelocks", (double)c->tally->livelocks);
	rfs_report_add_stat(report, "atomic_pairs", (double)c->pairs->n_atomic);
	rfs_report_add_stat(report, "unnamed_pairs", (double)c->pairs->n_unnamed);
}

/* Warns of each --module pattern that matches no module. It may be misspelt, and the module is then not watched. */
static void warn_unmatched(struct rfs_campaign *c)
{
	for (char *const *glob = c->options->run.modules; c->tally->n_modules && *glob; glob++) {
		char *line;
		size_t i = 0;

		while (i < c->tally->n_modules && !rfs_names_module(*glob, c->tally->modules[i].path))
			i++;
		if (i < c->tally->n_modules)
			continue;
		line = xasprintf("--module %s: no run loaded a library that matches", *glob);
		rfs_warnings_give(c->warnings, line);
		free(line);
	}
}

static void fill_lock(struct rfs_campaign *c, const struct rfs_cycle_lock *lock, struct rfs_report_lock *out)
{
	if (!lock->site.module)
		return;
	out->name = lock->object.kind == RFS_MEMORY_OTHER && !lock->object.address
			    ? NULL
			    : rfs_symbols_lock(c->symbols, &lock->object);
	if (!out->name)
		out->name = xstrdup("a lock");
	out->place = xcalloc(1, sizeof(*out->place));
	rfs_symbols_place(c->symbols, &lock->site, !lock->word, out->place);
	rfs_symbols_stack(c->symbols, lock->stack, lock->n_stack, &out->stack);
}

static void fill_cycles(struct rfs_campaign *c, struct rfs_report_cycles *out)
{
	out->cut = c->cycles->cut;
	for (size_t i = 0; i < c->cycles->n; i++) {
		const struct rfs_predicted_cycle *predicted = c->cycles->list[i];
		struct rfs_report_cycle *cycle = rfs_report_add_cycle(out, predicted->cycle.n);

		cycle->one_thread = predicted->cycle.one_thread;
		cycle->planned = predicted->arm.planned;
		cycle->runs = predicted->runs;
		cycle->timeouts = predicted->timeouts;
		cycle->created = predicted->created;
		cycle->suppressed = predicted->suppressed;
		for (size_t k = 0; k < predicted->cycle.n; k++) {
			const struct rfs_cycle_part *part = &predicted->cycle.parts[k];

			cycle->parts[k].has_thread = c->options->mode != RFS_MODE_PAIRS;
			cycle->parts[k].thread = part->thread;
			fill_lock(c, &part->held, &cycle->parts[k].held);
			fill_lock(c, &part->wanted, &cycle->parts[k].wanted);
		}
	}
}

static void campaign_report_add_pair(struct rfs_campaign *c, size_t i, struct rfs_report *report)
{
	struct rfs_report_pair *pair = rfs_report_add_pair(report);

	rfs_pair_report_fill(c, c->pairs->list[i], pair);
	pair->ordinal = i + 1;
}

static void add_finding(struct rfs_campaign *c, size_t i, struct rfs_report *report)
{
	const struct rfs_finding *finding = &c->findings->list[i];

	if (finding->key.signature.kind == RFS_FAILURE_DEADLOCK) {
		struct rfs_report_deadlock *deadlock = rfs_report_add_deadlock(report);

		fill_deadlock(c, finding, deadlock);
		deadlock->finding = i + 1;
	} else {
		struct rfs_report_failure *failure = rfs_report_add_failure(report);

		fill_failure(c, finding, failure);
		failure->finding = i + 1;
	}
}

/* The report of a part of a plan leaves this to that of the whole plan. */
static void fill_own(const struct rfs_campaign *c, struct rfs_report *report)
{
	const struct rfs_signature *crash = rfs_baseline_crash(c->baseline);

	if (!rfs_baseline_fails(c->baseline) || (c->settings->plan && !c->settings->plan->whole))
		return;
	report->own = (struct rfs_report_own){
		.failed = true,
		.signal = crash->kind == RFS_FAILURE_SIGNAL,
		.number = crash->detail,
	};
}

void rfs_campaign_report(struct rfs_campaign *c, struct rfs_report *report)
{
	for (char **word = c->settings->program->argv; *word; word++)
		rfs_report_add_string(&report->program, *word);
	report->seed = c->options->seed;
	report->uncontrolled = c->tally->uncontrolled ? xstrdup(c->tally->uncontrolled) : NULL;
	report->checked = c->check->runs;
	report->check_difference = c->check->difference ? xstrdup(c->check->difference) : NULL;
	report->threaded = c->tally->max_threaded;
	for (size_t i = 0; i < c->tally->n_threaded; i++)
		rfs_report_add_string(&report->beside, c->tally->threaded[i]);
	report->measured = c->measured;
	report->measure_seconds = c->measure_seconds;
	report->has_plain = true;
	report->plain_runs = c->baseline->runs + c->baseline->timeouts;
	report->plain_failures = c->baseline->failures + c->baseline->timeouts;
	report->plain_timeouts = c->baseline->timeouts;
	report->plain_asleep = c->baseline->asleep;
	report->plain_failure = rfs_plain_failure(c);
	report->is_test = c->options->launcher || c->options->gtest;
	fill_own(c, report);
	for (size_t i = 0; i < c->phases->n; i++) {
		const struct rfs_phase *phase = &c->phases->list[i];

		*rfs_report_add_phase(report) = (struct rfs_report_phase){
			.name = xstrdup(phase->name),
			.planned = phase->planned,
			.runs = phase->runs,
			.timeouts = phase->timeouts,
			.cut = phase->cut,
		};
	}
	warn_unmatched(c);
	if (rfs_pool_remade(c->pool))
		rfs_warnings_give(c->warnings, rfs_pool_remade(c->pool));
	if (c->settings->plan && !c->settings->plan->whole)
		report->part = xasprintf("%u of %u", c->settings->plan->part, c->settings->plan->parts);
	if (c->settings->note)
		rfs_report_add_string(&report->warnings, c->settings->note);
	for (size_t i = 0; i < c->warnings->n; i++)
		rfs_report_add_string(&report->warnings, c->warnings->lines[i]);
	rfs_misuses_report(&c->tally->misuses, c->symbols, &report->misuses);
	report->misuses.findings = c->options->misuse_is_error;
	for (size_t i = 0; i < c->tally->n_modules; i++) {
		struct rfs_report_module *module = rfs_report_add_module(report);

		module->name = xstrdup(c->tally->modules[i].path);
		module->build_id = c->tally->modules[i].build_id[0] ? xstrdup(c->tally->modules[i].build_id) : NULL;
	}
	if (c->phases->n && strcmp(c->phases->list[0].name, "predict") == 0) {
		report->has_predict = true;
		report->predict_runs = c->phases->list[0].runs;
		report->predict_pairs = c->n_predicted;
		report->predict_seconds = c->phases->list[0].seconds;
		report->later_pairs = c->pairs->n - c->n_predicted;
		for (size_t i = 0; i < c->samplings->n; i++)
			report->later_runs += c->samplings->list[i].predicting;
	}
	for (size_t i = 0; i < c->pairs->n; i++)
		campaign_report_add_pair(c, i, report);
	for (size_t i = 0; i < c->findings->n; i++)
		if (!rfs_pair_list_explains(c, &c->findings->list[i]))
			add_finding(c, i, report);
	fill_cycles(c, &report->cycles);
	rfs_violations_report(c, &report->violations);
	rfs_suppress_report(c, report);
	if (c->triage)
		rfs_triage_report(c, report);
	report->proof = *c->proof;
	fill_samplings(c, report);
	campaign_report_add_stats(c, report);
	report->directory = xstrdup(c->settings->output->path);
	rfs_report_finish(report);
}
