/*
 * campaign_test.c - campaigns over artificial runs. A run function replaces the tracer, and answers like a program with
 * known bugs. So verdicts, findings and exit statuses can be checked one by one.
 */
#include "supervisor/campaign/campaign.h"
#include "supervisor/campaign/settings/settings.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/output.h"
#include "supervisor/campaign/settings/program.h"
#include "supervisor/campaign/settings/samplers.h"
#include "supervisor/cli/options/options.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/machine/report_json.h"
#include "supervisor/symbols/place.h"
#include "tests/supervisor/cli/ahead.h"
#include "tests/supervisor/scratch.h"

TestSuite(campaign, .timeout = 120);

/* ---- the artificial program ---- */

static void set_side(struct rfs_evidence *side, uint64_t offset, unsigned access)
{
	side->site.module = xstrdup("/no/prog");
	side->site.offset = offset;
	side->access = access;
	side->size = 4;
	side->object.kind = RFS_MEMORY_OTHER;
	side->object.address = 0x4000;
}

static void set_race(struct rfs_race *race, uint64_t a, uint64_t b, unsigned access)
{
	set_side(&race->side[0], a, access | RFS_ACCESS_READ);
	set_side(&race->side[1], b, access | RFS_ACCESS_WRITE);
}

/* A run that passes. It has the arguments of all run functions, so that these need not mention what they do not use. */
static int begin(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	(void)why;
	(void)n;
	memset(out, 0, sizeof(*out));
	out->hash[0] = spec->seed;
	out->order[1] = spec->seed / 2;
	out->counts.steps = 10;
	out->counts.accesses = 5;
	out->counts.threads = 2;
	out->n_modules = 1;
	out->modules = xcalloc(1, sizeof(*out->modules));
	out->modules[0].path = xstrdup("/no/prog");
	out->modules[0].build_id = xstrdup("abcd");
	return 0;
}

static void predict(struct rfs_run_result *out, uint64_t a, uint64_t b)
{
	out->prediction.n = 1;
	out->prediction.races = xcalloc(1, sizeof(*out->prediction.races));
	set_race(&out->prediction.races[0], a, b, 0);
}

static int plain_passes(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	(void)spec;
	(void)why;
	(void)n;
	memset(out, 0, sizeof(*out));
	return 0;
}

static int plain_aborts(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	plain_passes(spec, out, why, n);
	out->end = RFS_END_SIGNAL;
	out->detail = SIGABRT;
	return 0;
}

/* How often `what` is in the text. */
static int count(const char *text, const char *what)
{
	int n = 0;

	for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
		n++;
	return n;
}

static bool is_pair(const struct rfs_run_spec *spec, uint64_t offset)
{
	return spec->plan.pair && spec->plan.pair->statement[0].sites[0].offset == offset;
}

/* Adds a line to a file. Each run is a separate process, so data of all runs must go into a file. */
static void append(const char *file, const char *line)
{
	FILE *out = fopen(file, "a");

	if (!out || fprintf(out, "%s\n", line) < 0 || fclose(out) != 0)
		abort();
}

/*
 * Four pairs are predicted, each by some seeds only, and with the statements in either order:
 *   10/20  aborts in every fourth run. Passes if its last race is resolved the other way: harmful.
 *   30/40  exits with status 9, however the race is resolved: real, but the failure is not attributed. The file "flips"
 *          gets the options of the runs in which a race was resolved the other way.
 *   50/60  never created.
 *   70/80  two atomic instructions: never reported.
 */
static int racy(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	const char *options = spec->policy_options ? spec->policy_options : "",
		   *tested = strstr(options, "flip=") ? strstr(options, "flip=") : strstr(options, "keep=");
	bool flipped = strstr(options, "flip=2");

	begin(spec, out, why, n);
	if (spec->detector) {
		out->prediction.n = 3;
		out->prediction.races = xcalloc(3, sizeof(*out->prediction.races));
		set_race(&out->prediction.races[0], spec->seed % 2 ? 0x10 : 0x20, spec->seed % 2 ? 0x20 : 0x10, 0);
		set_race(&out->prediction.races[1], 0x70, 0x80, RFS_ACCESS_ATOMIC);
		set_race(&out->prediction.races[2], spec->seed % 3 ? 0x50 : 0x30, spec->seed % 3 ? 0x60 : 0x40, 0);
	}
	if (is_pair(spec, 0x10)) {
		out->reached[0] = out->reached[1] = 1;
		out->n_created = 1;
		out->counters[RFS_COUNTER_RACES] = 3;
		set_race(&out->created, 0x10, 0x20, 0);
		if (spec->seed % 4 == 0 && !flipped) {
			out->end = RFS_END_SIGNAL;
			out->detail = SIGABRT;
		}
	} else if (is_pair(spec, 0x30)) {
		if (tested)
			append("flips", tested);
		out->reached[0] = out->reached[1] = 2;
		out->n_created = 2;
		out->counters[RFS_COUNTER_RACES] = 2;
		set_race(&out->created, 0x40, 0x30, 0);
		out->created.swapped = true;
		out->end = RFS_END_EXIT;
		out->detail = 9;
	} else if (is_pair(spec, 0x50)) {
		out->reached[1] = spec->seed % 2;
	}
	return 0;
}

/* In phase 3 it deadlocks with seed 3. With seed 4 it exits with status 5, but not in the replay. */
static int deadlocks(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	begin(spec, out, why, n);
	if (spec->points != RFS_POINTS_RACES)
		return 0;
	if (spec->seed == 3 || spec->seed == 6) {
		out->end = RFS_END_DEADLOCK;
		out->deadlock.n = 2;
		out->deadlock.list = xcalloc(2, sizeof(*out->deadlock.list));
		for (int i = 0; i < 2; i++) {
			struct rfs_waiter *waiter = &out->deadlock.list[spec->seed == 3 ? i : 1 - i];

			waiter->thread = i + 1;
			waiter->for_thread = 2 - i;
			waiter->operation = RFS_OP_LOCK;
			waiter->n_stack = 1;
			waiter->stack = xcalloc(1, sizeof(*waiter->stack));
			waiter->stack[0].module = xstrdup("/no/prog");
			waiter->stack[0].offset = i;
		}
	}
	if (spec->seed == 4 && !spec->trace.out)
		out->detail = 5;
	return 0;
}

static int alone(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	begin(spec, out, why, n);
	out->counts.threads = 1;
	return 0;
}

/* With a detector the program is slow, and a run is cut short before there is a second thread. */
static int alone_at_first(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	begin(spec, out, why, n);
	if (spec->detector) {
		out->counts.threads = 1;
		out->end = RFS_END_TIMEOUT;
	}
	return 0;
}

static int lost(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	begin(spec, out, why, n);
	if (spec->seed == 2) {
		out->end = RFS_END_UNCONTROLLED;
		out->message = xstrdup("a foreign system call");
	}
	return 0;
}

static int late(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	begin(spec, out, why, n);
	out->end = RFS_END_TIMEOUT;
	return 0;
}

/* Seed 2 does not end in any phase. If `created` is set, odd seeds create the race of the only pair. */
static int sometimes_late(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n,
			  bool created)
{
	begin(spec, out, why, n);
	if (spec->detector)
		predict(out, 0x10, 0x20);
	if (spec->plan.pair)
		out->reached[0] = out->reached[1] = 1;
	if (spec->plan.pair && created && spec->seed % 2) {
		out->n_created = 1;
		set_race(&out->created, 0x10, 0x20, 0);
	}
	if (spec->seed == 2 || (spec->seed == 1 && spec->plan.pair && !spec->trace.out))
		out->end = RFS_END_TIMEOUT;
	return 0;
}

static int late_unfound(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	return sometimes_late(spec, out, why, n, false);
}

static int late_created(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	return sometimes_late(spec, out, why, n, true);
}

/* Fails with seed 3 in phase 3. The replay of that run does not end in time. */
static int late_replay(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	begin(spec, out, why, n);
	if (spec->points == RFS_POINTS_RACES && spec->seed == 3) {
		out->end = spec->trace.out ? RFS_END_TIMEOUT : RFS_END_EXIT;
		out->detail = spec->trace.out ? 0 : 5;
	}
	return 0;
}

static int slow(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	begin(spec, out, why, n);
	usleep(20000);
	return 0;
}

/* As a schedule in which threads spin. */
static int hangs_in_a_tree(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	begin(spec, out, why, n);
	if (strcmp(spec->policy->name, "dpor") == 0)
		out->end = RFS_END_HANG;
	return 0;
}

/* Predicts more pairs than a small budget has time for. */
static int slow_pairs(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	slow(spec, out, why, n);
	if (!spec->detector)
		return 0;
	out->prediction.n = 100;
	out->prediction.races = xcalloc(out->prediction.n, sizeof(*out->prediction.races));
	for (size_t i = 0; i < out->prediction.n; i++)
		set_race(&out->prediction.races[i], 0x10 + 8 * i, 0x1000, 0);
	return 0;
}

/*
 * Pairs that come late: prediction sees 10/20, and runs of phase 3 with a detector see another one for each seed. A
 * pair at an odd place is at a library. Each run of a pair writes its pair and seed to the file runs, and a run of
 * phase 3 how many switch points it has.
 */
static int late_pairs(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	bool explores = spec->start_from_seed;
	uint64_t offset = 0x10 * (explores ? 1 + spec->seed : 1);
	char *line = NULL;

	begin(spec, out, why, n);
	if (spec->detector)
		predict(out, offset, 0x2000);
	if (spec->plan.pair)
		line = xasprintf("pair %llx seed %llu",
				 (unsigned long long)spec->plan.pair->statement[0].sites[0].offset,
				 (unsigned long long)spec->seed);
	else if (explores)
		line = xasprintf("%s%s seed %llu of %zu sites", spec->policy->name,
				 spec->detector ? " with a detector" : "", (unsigned long long)spec->seed,
				 spec->sites.n_visible);
	if (line && !spec->wanted.stood)
		append("runs", line);
	free(line);
	return 0;
}

static int plain_takes_a_millisecond(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	plain_passes(spec, out, why, n);
	out->costs.cpu_seconds = 1e-3;
	return 0;
}

/* Writes limits of runs to the file "limits", and whether the policy continues an earlier run. In phase 1, the run with
 * seed 2 hangs. The one with seed 5 predicts a pair. */
static int measured(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	const char *policy = spec->policy->name;
	char *line = xasprintf("%s: %g s, %llu steps, %llu spins%s", spec->detector ? "detector" : policy,
			       spec->limits.cpu, (unsigned long long)spec->limits.steps,
			       (unsigned long long)spec->limits.spin_free, spec->policy_blob ? ", continues" : "");

	append("limits", line);
	free(line);
	begin(spec, out, why, n);
	out->counts.steps = !spec->detector && strcmp(policy, "sweep") == 0 ? 5000 : 30000;
	out->costs.cpu_seconds = 0.5;
	out->blob = (struct rfs_blob){xstrdup(policy), strlen(policy)};
	if (spec->detector && spec->seed == 5)
		predict(out, 0x10, 0x20);
	if (spec->detector && spec->seed == 2) {
		out->end = RFS_END_HANG;
		out->counts.steps = 1u << 30;
		out->costs.cpu_seconds = 100;
	}
	return 0;
}

/* A library makes predicting runs slow. Each run with a detector writes what it does not watch to the file "runs". */
static int large_library(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	const char *unwatched = spec->unwatched ? spec->unwatched[0] : NULL;

	begin(spec, out, why, n);
	out->modules = xreallocarray(out->modules, 2, sizeof(*out->modules));
	out->modules[1] = (struct rfs_run_module){xstrdup("/no/large.so"), xstrdup("ef"), !unwatched, 0};
	out->modules[0].watched = true;
	out->n_modules = 2;
	if (spec->detector)
		append("runs", unwatched ? unwatched : spec->start_from_seed ? "explore" : "predict");
	if (spec->detector && !unwatched && !spec->start_from_seed)
		out->end = RFS_END_TIMEOUT;
	return 0;
}

/* The race of the only pair is created in each run, and half of them fail. A failure of phase 3 replays for ever. */
static int long_end(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	sometimes_late(spec, out, why, n, false);
	out->end = RFS_END_EXIT;
	if (spec->plan.pair) {
		out->n_created = out->counters[RFS_COUNTER_RACES] = 1;
		set_race(&out->created, 0x10, 0x20, 0);
		out->detail = spec->seed % 2 ? 9 : 0;
	}
	if (spec->start_from_seed && spec->seed == 5)
		out->detail = 5;
	if (out->detail == 5 && spec->trace.out)
		ahead_forever();
	return 0;
}

static int refuses(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	(void)spec;
	begin(spec, out, NULL, 0);
	rfs_run_result_release(out);
	return rfs_why(why, n, -1, "ptrace is not permitted here");
}

/* ---- the campaign ---- */

static char program_name[] = "/no/prog";

/* Runs a campaign with these words of a command line; PROGRAM is added. Returns the result of rfs_campaign_run(). */
static int run(rfs_run_fn *function, rfs_run_fn *plain, struct rfs_report *report, char *why, size_t n, ...)
{
	char *argv[32] = {program_name}, *program_argv[] = {program_name, NULL}, *envp[] = {NULL};
	struct rfs_program program = {.path = program_name, .argv = program_argv};
	struct rfs_campaign_settings settings = {
		.program = &program,
		.envp = envp,
		.cancel_fd = -1,
		.run = function,
		.plain = plain,
	};
	struct rfs_options options;
	struct rfs_output output;
	int argc = 1, error;
	va_list ap;

	va_start(ap, n);
	while ((argv[argc] = va_arg(ap, char *)))
		argc++;
	va_end(ap);
	argv[argc++] = program_name;
	argv[argc] = NULL;
	cr_assert_eq(rfs_options_parse(argc, argv, &options, why, n), 0, "%s", why);
	cr_assert_eq(rfs_samplers_load(&options.samplers, options.pairs, why, n), 0, "%s", why);
	cr_assert_eq(rfs_samplers_load(&options.explorers, false, why, n), 0, "%s", why);
	cr_assert_eq(rfs_output_open(options.output, argv, &output, why, n), 0, "%s", why);
	rfs_log_set_level(RFS_LOG_QUIET);
	settings.options = &options;
	settings.output = &output;
	rfs_report_init(report);
	error = rfs_campaign_run(&settings, report, why, n);
	rfs_output_close(&output);
	rfs_options_release(&options);
	return error;
}

static const struct rfs_report_pair *pair_at(const struct rfs_report *report, uint64_t offset)
{
	for (size_t i = 0; i < report->n_pairs; i++)
		if (report->pairs[i].statement[0].place.offset == offset)
			return &report->pairs[i];
	return NULL;
}

Test(campaign, limits_come_from_plain_runs_then_from_what_ended)
{
	char *scratch = scratch_enter(), why[512] = "", *text;
	struct rfs_report report;

	cr_assert_eq(run(measured, plain_takes_a_millisecond, &report, why, sizeof(why), "--predict-runs=3",
			 "--explore=10", "-oout", NULL),
		     0);
	text = scratch_read("limits");
	cr_expect_not_null(strstr(text, "sweep: 2 s, 2000000 steps, 0 spins\ndetector: 2 s, 100000 steps, "
					"2000000 spins\ndetector: 2 s, 100000 steps, 2000000 spins, "
					"continues\n"),
			   "%s", text);
	cr_expect_not_null(strstr(text, "rff: 5 s, 300050 steps, 0 spins, continues\n"), "%s", text);
	cr_assert_eq(report.n_failures, 1);
	cr_expect_eq(report.failures[0].kind, RFS_FAILURE_HANG);
	cr_expect_str_eq(report.failures[0].run.phase, "predict");
	rfs_report_release(&report);
	free(text);
	scratch_leave(scratch);
}

Test(campaign, sweep_begins_anew_if_there_are_new_switch_points)
{
	char *scratch = scratch_enter(), why[512] = "", *text;
	struct rfs_report report;

	cr_assert_eq(run(measured, plain_takes_a_millisecond, &report, why, sizeof(why), "--predict-runs=2",
			 "--explore=0", "--seed=5", "-oout", NULL),
		     0);
	text = scratch_read("limits");
	cr_expect(count(text, "detector") == 2 && count(text, "continues") == 0, "%s", text);
	rfs_report_release(&report);
	free(text);
	scratch_leave(scratch);
}

Test(campaign, verdicts)
{
	char *scratch = scratch_enter(), why[512] = "", *text;
	const struct rfs_report_pair *pair;
	struct rfs_record record;
	struct rfs_report report;

	cr_assert_eq(run(racy, plain_passes, &report, why, sizeof(why), "--runs=10", "--explore=5", "-oout", NULL), 0);
	cr_expect_eq(rfs_report_exit(&report), RFS_EXIT_FINDING);
	cr_expect_null(report.incomplete);
	cr_assert_eq(report.n_pairs, 3, "the one of atomic instructions is not reported");
	cr_expect_eq(report.plain_runs, 10);

	pair = pair_at(&report, 0x10);
	cr_assert_not_null(pair);
	cr_expect_eq(pair->statement[1].place.offset, 0x20);
	cr_expect_eq(pair->verdict, RFS_VERDICT_HARMFUL);
	cr_expect_eq(pair->confirmed, 10);
	cr_expect_eq(pair->failures, 2);
	cr_expect(pair->failed && pair->attributed);
	cr_expect_eq(pair->orders.tests, 2, "the first race, after which it fails, then the last one");
	cr_expect_eq(pair->orders.race, 3);
	cr_expect(pair->orders.runs[0] == 20 && pair->orders.runs[1] == 20);
	cr_expect(pair->orders.failed[0] == 20 && pair->orders.failed[1] == 0);
	cr_expect_lt(pair->orders.corrected, 1e-6);
	cr_expect_str_eq(pair->detail, "SIGABRT");
	cr_expect_eq(pair->seed, 4);
	cr_assert_eq(rfs_record_read(pair->record, &record, why, sizeof(why)), 0, "%s", why);
	cr_expect(record.ended && record.detail == SIGABRT && record.created);
	cr_expect_eq(record.execution.spec.plan.pair->statement[1].sites[0].offset, 0x20);
	rfs_record_release(&record);

	pair = pair_at(&report, 0x30);
	cr_assert_not_null(pair);
	cr_expect_eq(pair->verdict, RFS_VERDICT_REAL);
	cr_expect_eq(pair->confirmed, 10);
	cr_expect_eq(pair->failures, 10);
	cr_expect(!pair->attributed);
	text = scratch_read("flips");
	cr_expect_eq(count(text, "\n"), 4 + 10 + 10, "a search, and a test of each race that is not continued");
	cr_expect_eq(count(text, "keep=0,continue=21,last=1\n"), 1, "%s", text);
	for (int i = 1; i <= 5; i++)
		for (int k = 0; k < 4; k++) {
			char *line = xasprintf("%s=%d,continue=%d,last=1\n", k / 2 ? "keep" : "flip", k % 2, i);

			cr_expect_eq(count(text, line), 1, "%s is not once in\n%s", line, text);
			free(line);
		}
	free(text);

	pair = pair_at(&report, 0x50);
	cr_assert_not_null(pair);
	cr_expect_eq(pair->verdict, RFS_VERDICT_UNCONFIRMED);
	cr_expect_eq(pair->reached[0], 0);
	cr_expect_eq(pair->reached[1], 5);
	cr_expect_eq(pair->runs, 10);
	cr_expect_null(pair->record);

	cr_assert_eq(report.n_failures, 1, "what no race explains is a finding of its own");
	cr_expect_str_eq(report.failures[0].detail, "status 9");
	cr_expect_eq(report.failures[0].runs, 10);

	text = scratch_read("out/pairs.txt");
	cr_assert_not_null(text);
	cr_expect_not_null(strstr(text, "prog+0x10 prog+0x20"), "%s", text);
	cr_expect_null(strstr(text, "0x70"));
	free(text);
	rfs_report_release(&report);
	scratch_leave(scratch);
}

Test(campaign, the_order_of_a_race_may_decide_what_every_plain_run_shows)
{
	char *scratch = scratch_enter(), why[512] = "";
	const struct rfs_report_pair *pair;
	struct rfs_report report;

	cr_assert_eq(run(racy, plain_aborts, &report, why, sizeof(why), "--runs=10", "--explore=0", NULL), 0);
	pair = pair_at(&report, 0x10);
	cr_assert_not_null(pair);
	cr_expect_eq(pair->verdict, RFS_VERDICT_HARMFUL);
	cr_expect_eq(pair->failures, 2);
	cr_expect(pair->failed && pair->attributed);
	cr_expect_eq(report.plain_failures, 10);
	rfs_report_release(&report);
	scratch_leave(scratch);
}

/* Exits with status 7 in every second baseline run. Each run is a process, so their number is kept in a file. */
static int plain_sometimes_fails(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	char *text;

	plain_passes(spec, out, why, n);
	append("plain", "x");
	text = scratch_read("plain");
	out->detail = strlen(text) / 2 % 2 ? 7 : 0;
	free(text);
	return 0;
}

static int plain_never_ends(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	plain_passes(spec, out, why, n);
	append("plain", "x");
	out->end = RFS_END_TIMEOUT;
	return 0;
}

Test(campaign, a_program_that_fails_by_itself_is_not_clean)
{
	static const struct {
		rfs_run_fn *plain;
		uint64_t runs, failures;
		const char *incomplete;
	} cases[] = {
		{plain_passes, 1, 0, NULL},
		{plain_aborts, 10, 10, "the program fails without rfsup: 10 of 10 uncontrolled runs failed (SIGABRT)"},
		{plain_sometimes_fails, 10, 5, "5 of 10 uncontrolled runs failed (status 7)"},
		{plain_never_ends, 2, 2, "2 of 2 uncontrolled runs failed (no end)"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *scratch = scratch_enter(), why[512] = "";
		struct rfs_report report;

		cr_assert_eq(run(begin, cases[i].plain, &report, why, sizeof(why), "--explore=4", NULL), 0);
		cr_expect_eq(report.plain_runs, cases[i].runs, "case %zu", i);
		cr_expect_eq(report.plain_failures, cases[i].failures, "case %zu", i);
		cr_expect_eq(rfs_report_exit(&report), cases[i].incomplete ? RFS_EXIT_INCOMPLETE : RFS_EXIT_CLEAN);
		cr_expect_eq(!report.incomplete, !cases[i].incomplete, "case %zu", i);
		if (report.incomplete && cases[i].incomplete)
			cr_expect_not_null(strstr(report.incomplete, cases[i].incomplete), "%s", report.incomplete);
		cr_expect_eq(report.own.failed, cases[i].failures == 10, "case %zu", i);
		rfs_report_release(&report);
		scratch_leave(scratch);
	}
}

Test(campaign, deadlocks_and_what_does_not_recur)
{
	char *scratch = scratch_enter(), why[512] = "";
	struct rfs_report report;

	cr_assert_eq(run(deadlocks, plain_passes, &report, why, sizeof(why), "--explore=24",
			 "--explore-with=random,surw,rapos,pos", "-oout", NULL),
		     0);
	cr_expect_eq(rfs_report_exit(&report), RFS_EXIT_FINDING);
	cr_assert_eq(report.n_deadlocks, 1, "the same two places, whichever thread came first");
	cr_expect_eq(report.deadlocks[0].runs, 7, "two of each sampler, but random has other seeds");
	/* pos and surw have a run each before the samplers take turns */
	cr_expect_eq(report.deadlocks[0].run.seed, 3);
	cr_expect_eq(report.deadlocks[0].n_threads, 2);
	cr_assert_eq(report.n_failures, 1);
	cr_expect(report.failures[0].run.replayed == RFS_REPLAY_DIFFERENT);
	cr_expect_eq(access("out/records/explore-surw-seed-3.json", R_OK), 0);
	cr_expect_eq(access("out/records/explore-random-seed-5.json", F_OK), -1, "a clean run leaves nothing");
	cr_expect_eq(access("out/runs/explore-surw-seed-3.out", R_OK), 0);
	cr_expect_eq(access("out/runs/explore-random-seed-5.out", F_OK), -1);
	rfs_report_release(&report);
	scratch_leave(scratch);
}

static const struct rfs_report_phase *phase_of(const struct rfs_report *report, const char *name)
{
	for (size_t i = 0; i < report->n_phases; i++)
		if (strcmp(report->phases[i].name, name) == 0)
			return &report->phases[i];
	return NULL;
}

Test(campaign, a_run_that_times_out_counts_for_nothing)
{
	static rfs_run_fn *const functions[] = {late_unfound, late_created};
	char *scratch = scratch_enter(), why[512] = "";

	for (size_t i = 0; i < 2; i++) {
		const struct rfs_report_pair *pair;
		struct rfs_report report;

		cr_assert_eq(
			run(functions[i], plain_passes, &report, why, sizeof(why), "--runs=9", "--explore=5", NULL), 0);
		pair = pair_at(&report, 0x10);
		cr_assert_not_null(pair);
		/* seeds 1 and 2 do not end; seed 1 counts only if it created a race */
		cr_expect_eq(pair->verdict, i ? RFS_VERDICT_REAL : RFS_VERDICT_UNCONFIRMED);
		cr_expect_eq(pair->runs, i ? 8 : 7);
		cr_expect_eq(pair->timeouts, i ? 1 : 2);
		cr_expect_eq(pair->confirmed, i ? 5 : 0);
		cr_expect_eq(pair->reached[0], pair->runs);
		if (i)
			cr_expect_eq(pair->seed, 3, "a run that ended is shown");
		cr_expect_eq(phase_of(&report, "confirm")->timeouts, 2);
		rfs_report_release(&report);
	}
	scratch_leave(scratch);
}

Test(campaign, what_the_budget_left_undone_is_said)
{
	char *scratch = scratch_enter(), why[512] = "", expected[200];
	const struct rfs_report_phase *explore;
	struct rfs_report report;

	for (int pairs = 0; pairs < 2; pairs++) {
		cr_assert_eq(
			run(pairs ? slow_pairs : slow, plain_passes, &report, why, sizeof(why), "--budget=3", NULL), 0);
		explore = phase_of(&report, "explore");
		cr_assert_not_null(explore);
		cr_expect_eq(explore->planned, 200);
		cr_expect_lt(explore->runs, 200);
		cr_expect_geq(explore->runs, 4, "exploration had no share: %llu runs",
			      (unsigned long long)explore->runs);
		snprintf(expected, sizeof(expected), "%d of 200 runs of explore", 200 - (int)explore->runs);
		cr_assert_not_null(report.incomplete);
		cr_expect_not_null(strstr(report.incomplete, "the budget of 3 s was used up; not done: "), "%s",
				   report.incomplete);
		cr_expect_not_null(strstr(report.incomplete, expected), "%s", report.incomplete);
		cr_expect_not_null(strstr(report.incomplete, "set a larger --budget"), "%s", report.incomplete);
		rfs_report_release(&report);
	}
	scratch_leave(scratch);
}

/* After a predicting run that was cut short, runs watch the program's own code (budget), or are made in one pass. */
Test(campaign, libraries_that_take_too_long_are_watched_later)
{
	static const char *const expected[] = {"predict\npredict\npredict\npredict\nexplore\nexplore\nexplore\n",
					       "predict\n/no/large.so\n/no/large.so\nexplore\nexplore\n"};
	char *scratch = scratch_enter(), why[512] = "", *text;
	struct rfs_report report;

	for (int budget = 0; budget < 2; budget++) {
		cr_assert_eq(run(large_library, plain_passes, &report, why, sizeof(why), "--explore=40", "--runs=1",
				 "--explore-with=random", budget ? "--budget=60" : NULL, NULL),
			     0);
		text = scratch_read("runs");
		cr_expect_str_eq(text, expected[budget]);
		cr_expect_eq(phase_of(&report, "predict")->cut, (uint64_t)budget);
		rfs_report_release(&report);
		free(text);
		unlink("runs");
	}
	scratch_leave(scratch);
}

/* Late findings leave no time for replays and tests. The report says what was left out, and has everything else. */
Test(campaign, what_there_was_no_time_for_at_the_end_is_said)
{
	char *scratch = scratch_enter(), why[512] = "";
	struct rfs_record record;
	struct rfs_report report;

	ahead_begin(5650, 5710); /* past the deadlines of tests (94%) and replays (95%), before the end (98%) */
	cr_assert_eq(run(long_end, plain_passes, &report, why, sizeof(why), "--budget=6000", "--runs=4", "--explore=8",
			 "--explore-with=random", "--timeout=99999", "-oout", NULL),
		     0);
	cr_expect_eq(rfs_report_exit(&report), RFS_EXIT_FINDING);
	cr_assert(report.incomplete && strstr(report.incomplete, "no time at the end for 1 replay;"));
	cr_expect(strstr(report.next, "rfsup --seed 1000001 --budget 6000 --timeout 99999 -- ") == report.next);
	cr_assert_eq(report.n_pairs, 1);
	cr_expect_eq(report.pairs[0].verdict, RFS_VERDICT_REAL);
	cr_assert_eq(rfs_record_read(report.pairs[0].record, &record, why, sizeof(why)), 0, "%s", why);
	cr_expect(record.ended && record.detail == 9);
	rfs_record_release(&record);
	rfs_report_release(&report);
	scratch_leave(scratch);
}

static bool has_line(const char *text, const char *line)
{
	char *whole = xasprintf("%s\n", line);
	bool has = strstr(text, whole) != NULL;

	free(whole);
	return has;
}

Test(campaign, rounds_give_each_arm_its_runs_and_take_in_later_pairs)
{
	static const char first_lines[] =
		"pos with a detector seed 1 of 2 sites\nrandom with a detector seed 4 of 2 sites\n"
		"pos seed 2 of 2 sites\npair 10 seed 2\nrandom seed 5 of 2 sites\npos seed 3 of 2 sites\npair 10 seed "
		"3\n";
	char *scratch = scratch_enter(), why[512] = "", *text;
	struct rfs_report report;

	cr_assert_eq(run(late_pairs, plain_passes, &report, why, sizeof(why), "--runs=20", "--explore=40",
			 "--explore-with=random,pos", "-oout", NULL),
		     0);
	text = scratch_read("runs");
	/* pos sees a pair with seed 1 and one with 17; random begins after the seeds of prediction: 4 and 20 */
	cr_expect_eq(report.plain_runs, 1, "there is no failure to compare with");
	cr_expect_eq(report.n_pairs, 5);
	cr_expect_eq(report.predict_pairs, 1);
	cr_expect_eq(report.later_pairs, 4);
	cr_expect_eq(report.later_runs, 4);
	cr_expect(has_line(text, "random with a detector seed 4 of 2 sites"), "%s", text);
	cr_expect(has_line(text, "pos with a detector seed 17 of 4 sites"), "%s", text);
	/* a run of round 1 cannot have the points of a pair that round 1 brings */
	cr_expect(has_line(text, "pos seed 3 of 2 sites"), "%s", text);
	cr_expect(has_line(text, "pos seed 4 of 4 sites"), "%s", text);
	for (int i = 0; i < 2; i++) {
		cr_expect_eq(count(text, i ? "pos " : "random "), 20);
		cr_expect_eq(count(text, i ? "pair 10 seed" : "pair 20 seed"), 19);
	}
	cr_expect_eq(count(text, "pair 120 seed"), 19);
	cr_expect(has_line(text, "pair 120 seed 20"), "%s", text);
	/* the first runs: the pair with seed 1, which is not in the file, pos in the opening, all samplers, the pair */
	cr_expect_eq(strncmp(text, first_lines, strlen(first_lines)), 0, "%s", text);
	free(text);
	text = scratch_read("out/pairs.txt");
	cr_expect_not_null(strstr(text, "prog+0x120 "), "pairs.txt is complete at the end\n%s", text);
	free(text);
	rfs_report_release(&report);
	scratch_leave(scratch);
}

Test(campaign, until_failure_stops_at_the_first_failure_and_replays_it)
{
	static const char *const jobs[] = {"-j1", "-j4"};
	char *scratch = scratch_enter(), why[512] = "";

	for (size_t i = 0; i < 2; i++) {
		const struct rfs_report_pair *pair;
		struct rfs_report report;

		/* the pair 30/40 fails in each run; it is the third one, and a sampler follows each of the others */
		cr_assert_eq(run(racy, plain_passes, &report, why, sizeof(why), "--until-failure", jobs[i], NULL), 0);
		cr_expect_eq(rfs_report_exit(&report), RFS_EXIT_FINDING);
		cr_expect_eq(phase_of(&report, "confirm")->runs, 3);
		cr_expect_eq(phase_of(&report, "explore")->runs, 2);
		pair = pair_at(&report, 0x30);
		cr_assert_not_null(pair);
		cr_expect_eq(pair->runs, 1);
		cr_expect(pair->failed && !pair->not_replayed);
		cr_expect_not_null(strstr(report.incomplete, "stopped at the first failure; not done: 297 of 300"),
				   "%s", report.incomplete);
		rfs_report_release(&report);
	}
	scratch_leave(scratch);
}

Test(campaign, exit_status)
{
	static const struct {
		rfs_run_fn *run;
		const char *budget;
		enum rfs_exit exit;
		const char *incomplete;
	} cases[] = {
		{alone, "--budget=60", RFS_EXIT_INCOMPLETE, "never had a second thread"},
		{lost, "--budget=60", RFS_EXIT_UNCONTROLLED, NULL},
		{late, "--explore=200", RFS_EXIT_INCOMPLETE,
		 "timed out: 3 of 3 runs of predict, 200 of 200 runs of explore"},
		{late, "--budget=60", RFS_EXIT_INCOMPLETE,
		 "cut short by the budget: 3 of 3 runs of predict, 200 of 200 runs of explore"},
		{slow, "--budget=3", RFS_EXIT_INCOMPLETE, "budget of 3 s was used up; not done: "},
		{slow_pairs, "--budget=3", RFS_EXIT_INCOMPLETE, "budget of 3 s was used up; not done: "},
		{late_unfound, "--explore=11", RFS_EXIT_INCOMPLETE,
		 "timed out: 1 of 3 runs of predict, 2 of 100 runs of confirm, 1 of 11 runs of explore"},
		{late_created, "--explore=5", RFS_EXIT_FINDING, "2 of 100 runs of confirm"},
		{hangs_in_a_tree, "--explore=27", RFS_EXIT_CLEAN, NULL},
		{late_replay, "--explore=27", RFS_EXIT_FINDING, "replays timed out"},
	};
	char *scratch = scratch_enter(), why[512] = "";

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_report report;

		cr_assert_eq(run(cases[i].run, plain_passes, &report, why, sizeof(why), cases[i].budget, NULL), 0);
		cr_expect_eq(rfs_report_exit(&report), cases[i].exit, "case %zu: %s", i, report.incomplete);
		cr_expect_eq(!report.incomplete, !cases[i].incomplete, "case %zu", i);
		if (report.incomplete && cases[i].incomplete)
			cr_expect_not_null(strstr(report.incomplete, cases[i].incomplete), "%s", report.incomplete);
		if (cases[i].exit == RFS_EXIT_UNCONTROLLED)
			cr_expect_not_null(strstr(report.uncontrolled, "seed-2: a foreign system call"));
		rfs_report_release(&report);
	}
	scratch_leave(scratch);
}

/* Runs that the budget cut short do not show that a program has one thread only. */
Test(campaign, explores_if_predicting_runs_were_cut_short)
{
	char *scratch = scratch_enter(), why[512] = "";
	struct rfs_report report;

	cr_assert_eq(run(alone_at_first, plain_passes, &report, why, sizeof(why), "--budget=60", "--explore=8", NULL),
		     0);
	cr_expect_eq(phase_of(&report, "predict")->cut, 3);
	cr_expect_eq(phase_of(&report, "explore")->runs, 8);
	rfs_report_release(&report);
	scratch_leave(scratch);
}

static int entries(const char *path)
{
	DIR *folder = opendir(path);
	int n = -2; /* do not count . and .. */

	cr_assert_not_null(folder);
	while (readdir(folder))
		n++;
	closedir(folder);
	return n;
}

Test(campaign, says_what_cannot_be_started)
{
	static rfs_run_fn *const plain[] = {plain_passes, plain_aborts};
	static const char *const folders[] = {"-oa", "-ob"};
	char *scratch = scratch_enter(), why[512] = "";
	struct rfs_report report;

	for (size_t i = 0; i < 2; i++) {
		cr_expect_neq(run(refuses, plain[i], &report, why, sizeof(why), folders[i], NULL), 0);
		cr_expect_str_eq(why, "ptrace is not permitted here");
		/* the caller owns the folder's mark, which is removed with the folder */
		cr_expect_eq(entries(folders[i] + 2), 1, "%s holds more than the mark", folders[i] + 2);
		rfs_report_release(&report);
	}
	scratch_leave(scratch);
}

Test(campaign, sampling_counts_orders)
{
	char *scratch = scratch_enter(), why[512] = "";
	struct rfs_report report;

	cr_assert_eq(run(deadlocks, plain_passes, &report, why, sizeof(why), "--policy=random", "--points=races",
			 "--runs=6", "--seed=3", NULL),
		     0);
	cr_assert_eq(report.n_samplings, 1);
	cr_expect_eq(report.samplings[0].runs, 6);
	cr_expect_eq(report.samplings[0].failures, 3);
	cr_expect_eq(report.samplings[0].first_failure, 1);
	cr_expect_eq(report.samplings[0].distinct_orders, 4);
	cr_expect_str_eq(report.samplings[0].points, "races");
	cr_assert_eq(report.n_deadlocks, 1);
	cr_expect_eq(report.deadlocks[0].run.seed, 3);
	rfs_report_release(&report);
	scratch_leave(scratch);
}

Test(campaign, explorers_share_few_runs_and_many)
{
	static const struct {
		const char *explore;
		uint64_t runs[3];
	} rows[] = {
		{"--explore=2", {1, 1, 0}},
		{"--explore=7", {3, 2, 2}},
		{"--explore=30", {10, 10, 10}},
		{"--explore=110", {37, 37, 36}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *scratch = scratch_enter(), why[512] = "";
		struct rfs_report report;

		cr_assert_eq(run(lost, plain_passes, &report, why, sizeof(why), "--explore-with=random,pos,rapos",
				 "--runs=1", rows[i].explore, NULL),
			     0);
		for (size_t k = 0; k < 3; k++) {
			uint64_t runs = k < report.n_explored ? report.explored[k].runs : 0;

			cr_expect_eq(runs, rows[i].runs[k], "%s, sampler %zu: %llu runs", rows[i].explore, k,
				     (unsigned long long)runs);
		}
		rfs_report_release(&report);
		scratch_leave(scratch);
	}
}

static char *json_of(rfs_run_fn *function, const char *jobs)
{
	char why[512] = "", *text = NULL;
	struct rfs_report report;
	size_t size;
	FILE *out;

	cr_assert_eq(run(function, plain_passes, &report, why, sizeof(why), jobs, "--runs=12", "--explore=12", NULL),
		     0);
	/* remove times, and the names of records, which may differ */
	report.predict_seconds = report.measure_seconds = 0;
	for (size_t i = 0; i < report.n_stats; i++)
		report.stats[i].value = 0;
	for (size_t i = 0; i < report.n_pairs; i++) {
		free(report.pairs[i].record);
		report.pairs[i].record = NULL;
	}
	for (size_t i = 0; i < report.n_failures; i++)
		report.failures[i].run.record[0] = '\0';
	for (size_t i = 0; i < report.n_deadlocks; i++)
		report.deadlocks[i].run.record[0] = '\0';
	out = open_memstream(&text, &size);
	rfs_report_write_json(&report, out);
	fclose(out);
	rfs_report_release(&report);
	return text;
}

Test(campaign, report_does_not_depend_on_the_number_of_jobs)
{
	static rfs_run_fn *const functions[] = {racy, deadlocks, lost};
	char *scratch = scratch_enter();

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		char *one = json_of(functions[i], "--jobs=1"), *three = json_of(functions[i], "--jobs=3");

		cr_expect_str_eq(one, three);
		free(one);
		free(three);
	}
	scratch_leave(scratch);
}
