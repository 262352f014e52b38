/*
 * campaign_report.c - fills the report from what a campaign has found. rfs_campaign_report() has the list of the parts,
 * campaign_report_add_stats() that of the statistics.
 */
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
#include "supervisor/campaign/decisions/window.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/executions/tally.h"
#include "supervisor/campaign/executions/warnings.h"
#include "supervisor/campaign/executions/whereabouts.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/failures/sanitizer_report.h"
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
#include "supervisor/record/lessons.h"
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
	out->process = waiter->process;
	out->handler = waiter->handler;
	out->waits_for = waiter->operation == RFS_OP_NONE ? NULL : rfs_waits_text(c->symbols, waiters, waiter);
	out->event = rfs_waits_for_event(waiter);
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

static char *text_or_null(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static void campaign_report_fill_run(struct rfs_campaign *c, const struct rfs_finding *finding,
				     struct rfs_report_run *out)
{
	const struct rfs_saved_run *saved = finding->first;
	const bool controlled = saved->execution.spec.policy != NULL; /* an uncontrolled run has no record */

	*out = (struct rfs_report_run){
		.phase = xstrdup(finding->phase),
		.policy = xstrdup(finding->policy),
		.replayed = saved->replayed,
		.difference = text_or_null(saved->difference),
		.reason = text_or_null(saved->reason),
		.seed = saved->execution.spec.seed,
		.record = controlled ? rfs_campaign_record(c, saved->execution.name, "json") : NULL,
	};
	rfs_saved_run_report_fill(c, saved, &out->shown);
}

static void fill_deadlock(struct rfs_campaign *c, const struct rfs_finding *finding, struct rfs_report_deadlock *out)
{
	const struct rfs_run_result *result = &finding->first->result;

	out->runs = finding->runs;
	campaign_report_fill_run(c, finding, &out->run);
	out->cycle = true;
	for (size_t i = 0; i < result->deadlock.n; i++)
		out->cycle &= rfs_waits_for_another(&result->deadlock, &result->deadlock.list[i]);
	for (size_t i = 0; i < result->deadlock.n; i++) {
		struct rfs_report_waiter *waiter = rfs_report_add_waiter(out);

		fill_waiter(c, &result->deadlock, i, waiter);
		waiter->outside = rfs_waits_cycle(&result->deadlock, &result->deadlock.list[i]) == RFS_WAITS_OUTSIDE;
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

/*
 * What the failure is, and where; what a sanitizer reported in `said`, or else what the program said, if only that
 * tells it from another one. Caller frees.
 */
static char *failure_detail(const struct rfs_campaign *c, const struct rfs_finding *finding,
			    const struct rfs_report_strings *said)
{
	const struct rfs_failure_key *key = &finding->key;
	const bool says = key->message && !said->n_items && says_other(c, finding);
	char *detail, *text;

	if (key->signature.kind == RFS_FAILURE_HANG)
		return rfs_report_hang(&finding->first->result);
	detail = rfs_signature_detail(&key->signature);
	rfs_sanitizer_add_kind(said, &detail);
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
	rfs_report_said(c, finding->first, &out->said);
	out->detail = failure_detail(c, finding, &out->said);
	for (size_t i = 0; i < result->threads.n && out->kind == RFS_FAILURE_HANG; i++)
		fill_waiter(c, &result->threads, i, rfs_report_add_thread(out));
	out->runs = finding->runs;
	out->plain = finding->plain;
	campaign_report_fill_run(c, finding, &out->run);
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
	out->options = text_or_null(sampling->sampler->options);
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
		[RFS_NONDET_KERNEL] = "outside_kernel",	      [RFS_NONDET_UNRECORDED] = "outside_unrecorded",
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

static size_t campaign_report_watched_sites(const struct rfs_tally *tally)
{
	size_t sites = 0;

	for (size_t i = 0; i < tally->n_modules; i++)
		sites += tally->modules[i].sites;
	return sites;
}

static void campaign_report_add_stats(struct rfs_campaign *c, struct rfs_report *report)
{
	enum { ALWAYS, UNLESS_ZERO, AFTER_PROOF };
	const struct rfs_tally *tally = c->tally;
	const struct {
		const char *key;
		double value;
		int when;
	} stats[] = {
		{"seconds", rfs_clock() - c->started, ALWAYS},
		{"plain_seconds", c->plain_seconds, ALWAYS},
		{"measure_seconds", c->measure_seconds, ALWAYS},
		{"predict_seconds", phase_seconds(c, "predict"), ALWAYS},
		{"confirm_seconds", phase_seconds(c, "confirm"), ALWAYS},
		{"explore_seconds", phase_seconds(c, "explore") + phase_seconds(c, "sample"), ALWAYS},
		{"prove_seconds", phase_seconds(c, "prove"), AFTER_PROOF},
		{"plain_cpu_seconds", c->baseline->cpu_seconds, ALWAYS},
		{"target_cpu_seconds", tally->cpu_seconds, ALWAYS},
		{"supervisor_cpu_seconds", tally->own_cpu_seconds, ALWAYS},
		{"runs", (double)tally->runs, ALWAYS},
		{"served_runs", (double)rfs_pool_served(c->pool), ALWAYS},
		{"runs_to_first_failure", (double)tally->first_failure, UNLESS_ZERO},
		{"restarts", (double)rfs_pool_restarts(c->pool), ALWAYS},
		{"timeouts", (double)tally->timeouts, ALWAYS},
		{"uncontrolled", (double)tally->n_uncontrolled, ALWAYS},
		{"threads", (double)tally->max_threads, ALWAYS},
		{"threaded_children", (double)tally->max_threaded, ALWAYS},
		{"watched_sites", (double)campaign_report_watched_sites(tally), ALWAYS},
		{"spin_sites", (double)rfs_pool_spin(c->pool)->n, ALWAYS},
		{"stubs_single", (double)tally->stub_single, ALWAYS},
		{"stubs_grouped", (double)tally->stub_groups, ALWAYS},
		{"stubs_padded", (double)tally->stub_padded, ALWAYS},
		{"stubs_learned", (double)tally->learned, ALWAYS},
		{"accesses", (double)tally->accesses, ALWAYS},
		{"accesses_recorded", (double)tally->recorded, ALWAYS},
		{"accesses_dropped", (double)tally->dropped, ALWAYS},
		{"detector_bytes", (double)tally->max_memory, ALWAYS},
		{"detector_forgot", (double)tally->forgotten, ALWAYS},
		{"steps", (double)tally->steps, ALWAYS},
		{"steps_recorded", (double)tally->steps_recorded, ALWAYS},
		{"stops", (double)tally->stops, ALWAYS},
		{"races_created", (double)tally->races, ALWAYS},
		{"livelocks", (double)tally->livelocks, ALWAYS},
		{"atomic_pairs", (double)c->pairs->n_atomic, ALWAYS},
		{"unnamed_pairs", (double)c->pairs->n_unnamed, ALWAYS},
	};

	add_outside(c, report);
	for (size_t i = 0; i < sizeof(stats) / sizeof(*stats); i++)
		if (stats[i].when == ALWAYS || (stats[i].when == UNLESS_ZERO && stats[i].value != 0) ||
		    (stats[i].when == AFTER_PROOF && c->proof->made))
			rfs_report_add_stat(report, stats[i].key, stats[i].value);
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

static void fill_cycles(struct rfs_campaign *c, struct rfs_report *report)
{
	struct rfs_report_cycles *out = &report->cycles;

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

/* ---- the report ---- */

static void fill_program(struct rfs_campaign *c, struct rfs_report *report)
{
	for (char **word = c->settings->program->argv; *word; word++)
		rfs_report_add_string(&report->program, *word);
	report->seed = c->options->seed;
	report->verbose = c->options->log == RFS_LOG_VERBOSE;
	report->is_test = c->options->launcher || c->options->gtest;
	report->directory = xstrdup(c->settings->output->path);
	if (c->settings->plan && !c->settings->plan->whole)
		report->part = xasprintf("%u of %u", c->settings->plan->part, c->settings->plan->parts);
}

static void fill_control(struct rfs_campaign *c, struct rfs_report *report)
{
	const struct rfs_site_set *spin = rfs_pool_spin(c->pool);
	const struct rfs_run_lessons lessons = {.spin = spin->sites, .n_spin = spin->n};

	report->process = text_or_null(rfs_lesson_of_process(&lessons));
	report->family = !report->process && rfs_lesson_of_family(&lessons);
	report->uncontrolled = text_or_null(c->tally->uncontrolled);
	report->checked = c->check->runs;
	report->check_difference = text_or_null(c->check->difference);
	report->threaded = c->tally->max_threaded;
	for (size_t i = 0; i < c->tally->n_threaded; i++)
		rfs_report_add_string(&report->beside, c->tally->threaded[i]);
}

static void fill_baseline(struct rfs_campaign *c, struct rfs_report *report)
{
	const struct rfs_baseline *baseline = c->baseline;

	report->has_plain = true;
	report->plain_runs = baseline->runs + baseline->timeouts;
	report->plain_failures = baseline->failures + baseline->timeouts;
	report->plain_timeouts = baseline->timeouts;
	report->plain_asleep = baseline->asleep;
	report->plain_failure = rfs_plain_failure(c);
	report->measured = c->measured;
	report->measure_seconds = c->measure_seconds;
}

/* The report of a part of a plan leaves this to that of the whole plan. */
static void fill_own(struct rfs_campaign *c, struct rfs_report *report)
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

static void fill_phases(struct rfs_campaign *c, struct rfs_report *report)
{
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
}

static void fill_warnings(struct rfs_campaign *c, struct rfs_report *report)
{
	warn_unmatched(c);
	if (rfs_pool_remade(c->pool))
		rfs_warnings_give(c->warnings, rfs_pool_remade(c->pool));
	if (c->settings->note)
		rfs_report_add_string(&report->warnings, c->settings->note);
	for (size_t i = 0; i < c->warnings->n; i++)
		rfs_report_add_string(&report->warnings, c->warnings->lines[i]);
}

static void fill_misuses(struct rfs_campaign *c, struct rfs_report *report)
{
	rfs_misuses_report(&c->tally->misuses, c->symbols, &report->misuses);
	report->misuses.findings = c->options->misuse_is_error;
}

static void fill_modules(struct rfs_campaign *c, struct rfs_report *report)
{
	for (size_t i = 0; i < c->tally->n_modules; i++)
		*rfs_report_add_module(report) = (struct rfs_report_module){
			.name = xstrdup(c->tally->modules[i].path),
			.build_id = c->tally->modules[i].build_id[0] ? xstrdup(c->tally->modules[i].build_id) : NULL,
		};
}

static void fill_predict(struct rfs_campaign *c, struct rfs_report *report)
{
	if (!c->phases->n || strcmp(c->phases->list[0].name, "predict") != 0)
		return;
	report->has_predict = true;
	report->predict_runs = c->phases->list[0].runs;
	report->predict_pairs = c->n_predicted;
	report->predict_seconds = c->phases->list[0].seconds;
	report->later_pairs = c->pairs->n - c->n_predicted;
	report->predict_parts = c->windows->n;
	for (size_t i = 0; i < c->windows->n && i < RFS_REPORT_PARTS; i++) {
		const struct rfs_run_window *window = &c->windows->list[i];

		report->predict_part[i][0] = window->from;
		report->predict_part[i][1] = window->until == RFS_WINDOW_END ? UINT64_MAX : window->until;
	}
	for (size_t i = 0; i < c->samplings->n; i++)
		report->later_runs += c->samplings->list[i].predicting;
}

static void fill_pairs(struct rfs_campaign *c, struct rfs_report *report)
{
	for (size_t i = 0; i < c->pairs->n; i++) {
		struct rfs_report_pair *pair = rfs_report_add_pair(report);

		rfs_pair_report_fill(c, c->pairs->list[i], pair);
		pair->ordinal = i + 1;
	}
}

static void fill_findings(struct rfs_campaign *c, struct rfs_report *report)
{
	for (size_t i = 0; i < c->findings->n; i++)
		if (!rfs_pair_list_explains(c, &c->findings->list[i]))
			add_finding(c, i, report);
}

static void fill_violations(struct rfs_campaign *c, struct rfs_report *report)
{
	rfs_violations_report(c, &report->violations);
}

static void fill_triage(struct rfs_campaign *c, struct rfs_report *report)
{
	if (c->triage)
		rfs_triage_report(c, report);
}

static void fill_proof(struct rfs_campaign *c, struct rfs_report *report)
{
	report->proof = *c->proof;
}

void rfs_campaign_report(struct rfs_campaign *c, struct rfs_report *report)
{
	/* Suppressions and the triage read what the rows above them have added. */
	static void (*const parts[])(struct rfs_campaign * c, struct rfs_report * report) = {
		fill_program,	 fill_control,	      fill_baseline,
		fill_own,	 fill_phases,	      fill_warnings,
		fill_misuses,	 fill_modules,	      fill_predict,
		fill_pairs,	 fill_findings,	      fill_cycles,
		fill_violations, rfs_suppress_report, fill_triage,
		fill_proof,	 fill_samplings,      campaign_report_add_stats,
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		parts[i](c, report);
	rfs_report_finish(report);
}
