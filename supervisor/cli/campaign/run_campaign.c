/* run_campaign.c - what surrounds a campaign: its folder, its journal and its report. campaign/campaign.c runs it. */
#include "supervisor/cli/campaign/run_campaign.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/output.h"
#include "supervisor/base/variables.h"
#include "supervisor/campaign/campaign.h"
#include "supervisor/campaign/decisions/baseline.h"
#include "supervisor/campaign/phases/plan_items.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/settings.h"
#include "supervisor/cli/campaign/guard_heap.h"
#include "supervisor/cli/campaign/publish.h"
#include "supervisor/cli/campaign/resume.h"
#include "supervisor/cli/campaign/shard.h"
#include "supervisor/cli/options/pairs_file.h"
#include "supervisor/cli/options/scope_options.h"
#include "supervisor/cli/options/suppressions_files.h"
#include "supervisor/import/scope.h"
#include "supervisor/import/suppressions.h"
#include "supervisor/pool/journal.h"
#include "supervisor/report/data/known.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_own.h"
#include "supervisor/run/run.h"
#include "supervisor/server/server.h"

static const struct rfs_plan_work makes_plan = {.makes = true};

static const struct rfs_plan_work *plan_of(const struct rfs_cli_campaign *given)
{
	if (given->shard)
		return &given->shard->work;
	return given->options->plan ? &makes_plan : NULL;
}

/* Opens the output folder and the journal of a campaign, a new one or one that continues. */
static int run_campaign_open_output(const struct rfs_cli_campaign *given, struct rfs_output *output,
				    struct rfs_journal **journal, char *why, size_t n)
{
	const struct rfs_options *options = given->options;
	int error;

	if (given->shard) {
		*journal = given->shard->resumed.journal;
		*output = given->shard->output;
		return rfs_resume_check(&given->shard->resumed, given->program, why, n);
	}
	*journal = given->resumed->journal;
	if (*journal) {
		error = rfs_resume_check(given->resumed, given->program, why, n);
		return error ? error : rfs_output_reopen(given->resumed->directory, output, why, n);
	}
	error = rfs_output_open(options->plan ? options->plan : options->output, given->command, output, why, n);
	if (error)
		return error;
	error = rfs_resume_begin(output, options->plan ? RFS_PLAN_UNFINISHED : RFS_JOURNAL_FILE, given->command,
				 given->program, journal, why, n);
	if (error)
		rfs_output_discard(output);
	return error;
}

/* The end of a campaign that could not start: this line is enough, and no report is written. */
static enum rfs_exit end_without_report(const struct rfs_cli_campaign *given, struct rfs_output *output,
					struct rfs_journal *journal, FILE *plot, const char *why)
{
	rfs_error("%s", why);
	if (plot) {
		fclose(plot);
		unlink(given->options->plot);
	}
	rfs_resume_end(output, journal, false);
	rfs_output_discard(output);
	return RFS_EXIT_INPUT;
}

/* The end of --plan. */
static enum rfs_exit end_plan(const struct rfs_cli_campaign *given, struct rfs_output *output,
			      struct rfs_journal *journal, int error, char *why, size_t n)
{
	enum rfs_exit exit = error == -EINTR ? RFS_EXIT_INCOMPLETE : RFS_EXIT_INPUT;

	rfs_journal_free(journal);
	if (!error)
		error = rfs_plan_finish(output, given->options->pairs, why, n);
	if (!error)
		exit = RFS_EXIT_CLEAN;
	else
		rfs_error("%s", why);
	rfs_output_close(output);
	return exit;
}

/* Writes the report, and chooses the exit status. */
static enum rfs_exit run_campaign_finish(const struct rfs_cli_campaign *given, const struct rfs_report *report,
					 const struct rfs_output *output, FILE *plot, int error, const char *why)
{
	const struct rfs_options *options = given->options;
	enum rfs_exit exit = rfs_report_exit(report);

	if (exit == RFS_EXIT_INCOMPLETE && options->launcher && strcmp(report->incomplete, RFS_ONE_THREAD) == 0)
		exit = RFS_EXIT_CLEAN;
	if ((!rfs_publish(report, options, output) | !rfs_publish_plot(report, options->plot, plot)) &&
	    exit != RFS_EXIT_FINDING)
		exit = RFS_EXIT_INPUT;
	if (error) {
		rfs_error("%s", why);
		exit = exit == RFS_EXIT_FINDING ? exit : RFS_EXIT_INPUT;
	}
	return exit;
}

static struct rfs_campaign_settings settings_of(const struct rfs_cli_campaign *given)
{
	return (struct rfs_campaign_settings){
		.options = given->options,
		.program = given->program,
		.pairs = &given->file->pairs,
		.import = given->file->imported ? &given->file->import : NULL,
		.envp = given->envp,
		.note = given->note,
		.plan = plan_of(given),
		.cancel_fd = given->cancel_fd,
		.terminal = isatty(STDERR_FILENO) && given->options->log != RFS_LOG_QUIET,
		.server = &rfs_server_ops,
		.run = rfs_run,
		.plain = rfs_baseline_run,
	};
}

enum rfs_exit rfs_cli_campaign_run(const struct rfs_cli_campaign *given, struct rfs_report_own *own)
{
	const struct rfs_options *options = given->options;
	struct rfs_campaign_settings settings = settings_of(given);
	struct rfs_output output;
	struct rfs_report report;
	struct rfs_known known = {0};
	struct rfs_suppressions suppressions = {0};
	struct rfs_scope scope = {0};
	enum rfs_exit exit;
	char why[1024] = "";
	FILE *plot = NULL;
	char **guarded = NULL;
	int error;

	if (options->guard_heap && (options->plan || given->shard))
		die("--guard-heap: the library is in this output folder, so a plan cannot name it; remove the option");
	if (options->guard_heap && rfs_guard_heap_check(given->program, given->envp, why, sizeof(why)))
		die("%s", why);
	/* opened before the runs, so that a file that cannot be written is reported before any time is spent */
	if (options->plot && !(plot = fopen(options->plot, "we")))
		die("--plot: cannot write '%s': %s", options->plot, strerror(errno));
	if (options->baseline && rfs_known_read(options->baseline, options->test, &known, why, sizeof(why)))
		die("--baseline: %s", why);
	if (rfs_suppressions_read(options, &suppressions, why, sizeof(why)))
		die("--suppressions: %s", why);
	for (size_t i = 0; i < suppressions.n_notes; i++)
		rfs_warn("%s", suppressions.notes[i]);
	settings.suppressions = &suppressions;
	if (rfs_scope_of_options(options, &scope, why, sizeof(why)))
		die("%s", why);
	settings.scope = &scope;
	if (run_campaign_open_output(given, &output, &settings.journal, why, sizeof(why)))
		die("%s", why);
	settings.output = &output;
	if (options->guard_heap && rfs_guard_heap_add(&output, given->envp, &guarded, why, sizeof(why)))
		die("%s", why);
	if (guarded)
		settings.envp = guarded;
	rfs_report_init(&report);
	*own = (struct rfs_report_own){0};
	error = rfs_campaign_run(&settings, &report, why, sizeof(why));
	if (settings.plan && settings.plan->makes) {
		exit = end_plan(given, &output, settings.journal, error, why, sizeof(why));
	} else if (error && settings.plan) {
		/* what a shard has carried out stays */
		rfs_error("%s", why);
		exit = error == -EINTR ? RFS_EXIT_INCOMPLETE : RFS_EXIT_INPUT;
		rfs_shard_discard(given->shard);
		rfs_output_close(&output);
	} else if (error && report.n_pairs + report.n_deadlocks + report.n_failures == 0) {
		exit = end_without_report(given, &output, settings.journal, plot, why);
		plot = NULL;
	} else {
		if (options->baseline)
			rfs_known_mark(&known, options->baseline, &report);
		exit = run_campaign_finish(given, &report, &output, plot, error, why);
		*own = report.own;
		if (!settings.plan)
			rfs_resume_end(&output, settings.journal, report.interrupted || given->resumed->keep);
		rfs_output_close(&output);
	}
	if (guarded)
		rfs_variables_free(guarded);
	if (plot)
		fclose(plot);
	rfs_known_release(&known);
	rfs_suppressions_release(&suppressions);
	rfs_scope_release(&scope);
	rfs_report_release(&report);
	return exit;
}
