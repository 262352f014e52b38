/*
 * Runs the phases of a campaign in order: baseline, predict, limits, then confirm and explore in rounds. Prepares the
 * folders, and cleans up.
 */
#include "supervisor/campaign/campaign.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/base/clock.h"
#include "supervisor/base/error.h"
#include "supervisor/base/output.h"
#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/campaign/decisions/baseline.h"
#include "supervisor/campaign/decisions/limits.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/decisions/window.h"
#include "supervisor/campaign/executions/atomic_moves.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/ending.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/executions/incomplete.h"
#include "supervisor/campaign/executions/module_reading.h"
#include "supervisor/campaign/executions/progress.h"
#include "supervisor/campaign/executions/tally.h"
#include "supervisor/campaign/executions/warnings.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/failures/saved_run.h"
#include "supervisor/campaign/output/campaign_report.h"
#include "supervisor/campaign/output/next.h"
#include "supervisor/campaign/output/reasons.h"
#include "supervisor/campaign/output/stories.h"
#include "supervisor/campaign/phases/arms.h"
#include "supervisor/campaign/phases/joint_runs.h"
#include "supervisor/campaign/phases/measure.h"
#include "supervisor/campaign/phases/plain_runs.h"
#include "supervisor/campaign/phases/plan_items.h"
#include "supervisor/campaign/phases/predict.h"
#include "supervisor/campaign/phases/prove.h"
#include "supervisor/campaign/phases/rounds.h"
#include "supervisor/campaign/phases/sample.h"
#include "supervisor/campaign/phases/sampling.h"
#include "supervisor/campaign/predicted/confirm.h"
#include "supervisor/campaign/predicted/cycles.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/predicted/violations.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/program.h"
#include "supervisor/campaign/settings/settings.h"
#include "supervisor/campaign/triage/pairs_mode.h"
#include "supervisor/campaign/triage/triage.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/report/data/report_proof.h"
#include "supervisor/symbols/symbolize.h"

/* ---- records of executions, for the pool ---- */

/* Writes the record of an execution. The pool calls this in the job's process, right before the run, or in this process
 * if a worker's run takes long or may be saved. */
static int campaign_prepare(void *arg, const struct rfs_execution *execution, char *why, size_t n)
{
	struct rfs_campaign *c = arg;
	char *path;
	int error;

	if (!execution->spec.policy)
		return 0; /* an uncontrolled run cannot be replayed, so it needs no record */
	path = rfs_campaign_record(c, execution->name, "json");
	error = rfs_record_write(path, execution, NULL, NULL, why, n);
	free(path);
	return error;
}

/* Only the first run of each failure is saved, and one that created a race. Most executions take a millisecond, and
 * writing and removing a record takes a tenth of that. */
static bool campaign_keeps(void *arg, const struct rfs_execution *execution, const struct rfs_run_result *result)
{
	struct rfs_campaign *c = arg;

	if (c->options->keep_records)
		return true;
	if (result->n_created)
		return rfs_confirm_keeps(c, execution, result);
	return rfs_finding_keeps(c, result);
}

static void discard(void *arg, const struct rfs_execution *execution)
{
	struct rfs_campaign *c = arg;
	static const char *const suffixes[] = {"json", "input"};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		char *path = rfs_campaign_record(c, execution->name, suffixes[i]);

		unlink(path);
		free(path);
	}
}

/* ---- the whole campaign ---- */

static int campaign_make_folder(const struct rfs_campaign *c, const char *name, char **out, char *why, size_t n)
{
	*out = rfs_output_file(c->settings->output, name);
	if (mkdir(*out, 0700) && errno != EEXIST)
		return rfs_why(why, n, -errno, "cannot create the directory %s: %s", *out, strerror(errno));
	return 0;
}

/* The command line asks for at least one predicting run. Options that code has made may ask for none. */
static bool has_no_places(const struct rfs_options *options)
{
	return options->mode == RFS_MODE_SAMPLE && options->run.points == RFS_POINTS_RACES && !options->predict_runs;
}

static int open_campaign(struct rfs_campaign *c, char *why, size_t n)
{
	const struct rfs_options *options = c->options;
	const double budget = c->settings->options->budget;
	struct rfs_pool_settings settings;
	int error;

	if (has_no_places(options))
		return rfs_why(why, n, -EINVAL, "--points races needs at least one predicting run; set --predict-runs");
	c->started = rfs_clock();
	c->deadline = budget > 0 ? c->started + rfs_budget_end(budget) : 0;
	error = campaign_make_folder(c, "records", &c->records, why, n);
	if (!error)
		error = campaign_make_folder(c, "runs", &c->runs, why, n);
	if (!error && options->run.job.fresh_dir)
		error = campaign_make_folder(c, "fresh", &c->fresh, why, n);
	settings = (struct rfs_pool_settings){
		.run = c->settings->run,
		.server = options->no_fork_server ? NULL : c->settings->server,
		.jobs = options->jobs,
		.output = c->runs,
		.records = options->run.job.drive || options->run.clock_real ? c->records : NULL,
		.journal = c->settings->journal,
		.deadline = c->deadline,
		.cancel_fd = c->settings->cancel_fd,
		.prepare = campaign_prepare,
		.keeps = campaign_keeps,
		.discard = discard,
		.arg = c,
	};
	if (error)
		return error;
	error = rfs_pool_new(&settings, &c->pool);
	return error ? rfs_why(why, n, error, "cannot start jobs: %s", strerror(-error)) : 0;
}

/* Removes the folder if it is empty. */
static void remove_folder(char *path)
{
	if (path)
		rmdir(path);
	free(path);
}

static void close_campaign(struct rfs_campaign *c)
{
	rfs_pool_free(c->pool);
	remove_folder(c->records);
	remove_folder(c->runs);
	remove_folder(c->fresh);
	rfs_findings_release(c->findings);
	rfs_pair_list_release(c->pairs);
	rfs_cycle_list_release(c->cycles);
	rfs_violation_list_release(c->violations);
	rfs_triage_free(c->triage);
	rfs_joint_runs_release(c->joint);
	rfs_samplings_release(c->samplings);
	for (size_t i = 0; i < RFS_PREDICT_KINDS; i++)
		free(c->predict_saved[i].data);
	free(c->missing);
	rfs_self_check_release(c->check);
	rfs_tally_release(c->tally);
	free(c->phases->stuck);
	rfs_warnings_release(c->warnings);
	rfs_incomplete_release(c->incomplete);
	rfs_baseline_release(c->baseline);
	rfs_atomic_moves_release(c->moves);
	rfs_module_reading_release(c->reading);
	rfs_symbols_free(c->symbols);
}

/*
 * False if there is only one schedule, which phase predict has executed.
 * A predicting run that the budget cut short may have ended before the program created its threads.
 */
static bool concurrent(const struct rfs_campaign *c)
{
	return !rfs_campaign_one_schedule(c) || rfs_predict_was_cut(c);
}

/* The phases before the rounds of a campaign that predicts or has a file of pairs. */
static int phase_one(struct rfs_campaign *c, char *why, size_t n)
{
	int error = 0;

	if (c->options->mode == RFS_MODE_PAIRS) {
		error = rfs_pairs_mode(c, why, n);
	} else {
		rfs_campaign_choose_passes(c);
		rfs_module_reading_modules(c);
		rfs_measure(c);
		rfs_predict(c);
	}
	rfs_limits_by_controlled_runs(c->limits, c->baseline);
	return error;
}

static int run_phases(struct rfs_campaign *c, char *why, size_t n)
{
	const struct rfs_options *options = c->options;
	const struct rfs_plan_work *plan = c->settings->plan;
	int error;

	rfs_plain_runs(c);
	/* whether they are needed is known only after the items */
	if (plan)
		rfs_plain_runs_rest(c);
	rfs_limits_by_plain_runs(c->limits, c->baseline);
	if (options->mode == RFS_MODE_SAMPLE) {
		if (options->prove)
			rfs_prove(c);
		else
			rfs_sample(c);
		return 0;
	}
	error = phase_one(c, why, n);
	if (error)
		return error;
	if (plan)
		return plan->makes ? rfs_plan_seal(c, why, n) : rfs_plan_work(c, why, n);
	if (options->mode == RFS_MODE_CAMPAIGN)
		rfs_arms_rank(c);
	if (c->triage || (options->mode == RFS_MODE_CAMPAIGN && concurrent(c)))
		rfs_joint_runs_make(c);
	if (options->mode == RFS_MODE_PAIRS)
		rfs_rounds(c, options->explore_given);
	else if (concurrent(c))
		rfs_rounds(c, true);
	else
		rfs_findings_replay(c);
	if (options->prove)
		rfs_prove(c);
	return 0;
}

/* The parts of the state. Zeroed: empty. */
struct parts {
	struct rfs_atomic_moves moves;
	struct rfs_module_reading reading;
	struct rfs_progress progress;
	struct rfs_warnings warnings;
	struct rfs_incomplete incomplete;
	struct rfs_phases phases;
	struct rfs_baseline baseline;
	struct rfs_limits limits;
	struct rfs_tally tally;
	struct rfs_ending ending;
	struct rfs_findings findings;
	struct rfs_self_check check;
	struct rfs_pair_list pairs;
	struct rfs_cycle_list cycles;
	struct rfs_violation_list violations;
	struct rfs_joint_runs joint;
	struct rfs_samplings samplings;
	struct rfs_blob predict_saved[RFS_PREDICT_KINDS];
	struct rfs_windows windows;
	struct rfs_report_proof proof;
};

static struct rfs_campaign campaign_of(const struct rfs_campaign_settings *settings, struct parts *parts)
{
	return (struct rfs_campaign){
		.settings = settings,
		.options = settings->options,
		.symbols = rfs_symbols_new(),
		.moves = &parts->moves,
		.reading = &parts->reading,
		.progress = &parts->progress,
		.warnings = &parts->warnings,
		.incomplete = &parts->incomplete,
		.phases = &parts->phases,
		.baseline = &parts->baseline,
		.limits = &parts->limits,
		.tally = &parts->tally,
		.ending = &parts->ending,
		.findings = &parts->findings,
		.check = &parts->check,
		.pairs = &parts->pairs,
		.cycles = &parts->cycles,
		.violations = &parts->violations,
		.joint = &parts->joint,
		.samplings = &parts->samplings,
		.predict_saved = parts->predict_saved,
		.windows = &parts->windows,
		.proof = &parts->proof,
		.triage = settings->import ? rfs_triage_new(settings->import) : NULL,
		.n_pairs = &parts->pairs.n,
		.n_findings = &parts->findings.n,
	};
}

int rfs_campaign_run(const struct rfs_campaign_settings *settings, struct rfs_report *report, char *why, size_t n)
{
	struct parts parts = {0};
	struct rfs_campaign c = campaign_of(settings, &parts);
	struct rfs_options phases; /* those of all phases but the proof, which follows them */
	int error;

	if (settings->options->prove && settings->options->mode == RFS_MODE_CAMPAIGN) {
		phases = *settings->options;
		phases.budget = rfs_prove_others(phases.budget);
		c.options = &phases;
	}
	rfs_progress_init(c.progress, settings->terminal);
	rfs_limits_init(c.limits, c.options->hang_factor);
	rfs_tally_init(c.tally, c.symbols, c.baseline, c.warnings);
	error = open_campaign(&c, why, n);
	if (!error) {
		error = run_phases(&c, why, n);
		rfs_plain_runs_compare(&c);
		rfs_progress_end(c.progress);
		rfs_campaign_report(&c, report);
		if (!settings->plan || (settings->plan->whole && !error))
			rfs_stories_add(&c, report);
		report->interrupted = c.end == RFS_POOL_INTERRUPTED;
		rfs_reasons_add(&c, report);
		rfs_next_add(&c, report);
		rfs_warnings_save(c.warnings, settings->output);
		if (!error && c.end == RFS_POOL_FAILED)
			error = rfs_why(why, n, -EIO, "%s", c.why);
		if (error && parts.pairs.n + parts.findings.n == 0)
			rfs_plain_runs_discard(&c);
	}
	close_campaign(&c);
	return error;
}
