/* confirm_c.c - writes the program, calls the compiler, runs a campaign on it, and compares how it ends. */
#include "supervisor/generate/program/confirm_c.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/error.h"
#include "supervisor/base/output.h"
#include "supervisor/base/path.h"
#include "supervisor/base/tree.h"
#include "supervisor/base/variables.h"
#include "supervisor/campaign/campaign.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/program.h"
#include "supervisor/campaign/settings/samplers.h"
#include "supervisor/campaign/settings/settings.h"
#include "supervisor/generate/library/compiler.h"
#include "supervisor/generate/options.h"
#include "supervisor/generate/program/bug.h"
#include "supervisor/generate/program/c_program.h"
#include "supervisor/generate/search/ending.h"
#include "supervisor/generate/search/executor.h"
#include "supervisor/generate/tests/environment.h"
#include "supervisor/record/pairs.h"
#include "supervisor/record/run_options.h"
#include "supervisor/report/data/report.h"
#include "supervisor/symbols/place.h"

/*
 * How many runs each policy makes at most. The execution that failed was one of a hundred, so a few dozen are enough
 * for most programs.
 */
static const unsigned runs_of[] = {[RFS_CONFIRM_QUICK] = 48, [RFS_CONFIRM_THOROUGH] = 250};
#define RACE_RUNS 20   /* of RaceFuzzer */
#define PREDICT_RUNS 3 /* they say where runs stop at races */
/* The limits in seconds. BUDGET is so long that the runs come first, even on a busy machine: otherwise the report would
 * depend on time. */
#define BUDGET 120
#define BUDGET_MIN 3 /* behind the end of the session */
#define TIMEOUT 30   /* on a busy machine, a hang takes several seconds until it counts as one */
#define RACEFUZZER "racefuzzer"

/* ---- the program ---- */

/* The file that names the race. Caller frees. */
static char *pairs_path(const struct rfs_generated_bug *bug)
{
	return xasprintf("%.*s.pairs", (int)(strrchr(bug->source, '.') - bug->source), bug->source);
}

/* The command that finds the failure in ./PROGRAM. Caller frees. */
static char *find_text(const struct rfs_confirm_settings *settings, const struct rfs_generated_bug *bug)
{
	char *environment = rfs_generate_environment_text(settings->guard), *text, *pairs;

	if (strcmp(bug->policy, RACEFUZZER) == 0) {
		pairs = pairs_path(bug);
		text = xasprintf("rfsup %s --pairs %s --seed %" PRIu64 " --module '%s' ./PROGRAM", environment, pairs,
				 settings->options->seed, settings->watched[0]);
		free(pairs);
	} else {
		text = xasprintf("rfsup %s --policy %s --seed %" PRIu64
				 " --points %s --runs %u --module '%s' --until-failure ./PROGRAM",
				 environment, bug->policy, settings->options->seed, rfs_points_name(bug->points),
				 runs_of[RFS_CONFIRM_THOROUGH], settings->watched[0]);
	}
	free(environment);
	return text;
}

static char *comment_of(const struct rfs_confirm_settings *settings, const struct rfs_generated_bug *bug)
{
	char *find = find_text(settings, bug);
	char *comment =
		xasprintf("Fails (%s) if its threads are switched at the wrong moment. It fails in none of the %zu "
			  "sequential\norders of the threads' calls. Made by rfsup --generate.\n\nCompile: %s\nFind "
			  "the failure: %s",
			  rfs_ending_name(bug->ending), bug->n_orders, bug->command, find);

	free(find);
	return comment;
}

static int confirm_c_write_program(const struct rfs_confirm_settings *settings, const struct rfs_generated_bug *bug,
				   bool tolerant)
{
	struct rfs_c_program program = {
		.headers = settings->options->headers.list,
		.n_headers = settings->options->headers.n,
		.functions = {settings->options->init.list, settings->thread_start, settings->thread_end},
		.results = bug->ending == RFS_ENDING_RESULT ? &bug->results : NULL,
		.tolerant = tolerant,
	};
	char *comment = comment_of(settings, bug), *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int error;

	program.comment = comment;
	if (!out)
		die("out of memory");
	rfs_c_program_write(&program, &bug->test, settings->library, out);
	fclose(out);
	error = rfs_file_replace(bug->source, text, size, 0600, false);
	free(text);
	free(comment);
	return error;
}

/* Which of the compiler's words is the program. */
#define PROGRAM_WORD 5

/* Compiles the program. False, and bug->why, if the compiler refuses it. *tolerant: as the program was written. */
static bool confirm_c_compile(const struct rfs_confirm_settings *settings, const char *program,
			      struct rfs_generated_bug *bug, bool *tolerant)
{
	char *folder = xstrdup(settings->library_path), *search = xasprintf("-Wl,-rpath,%s", dirname(folder));
	const char *words[] = {
		"-g", "-Wall", "-Werror", "-pthread", "-o", "PROGRAM", bug->source, search, settings->library_path,
		NULL};
	char *said = NULL, *first;
	int error = -EINVAL;

	bug->command = rfs_compiler_command(settings->compiler, words);
	words[PROGRAM_WORD] = program;
	for (int attempt = 0; attempt < 2 && error == -EINVAL; attempt++) {
		free(said);
		said = NULL;
		*tolerant = attempt > 0;
		error = confirm_c_write_program(settings, bug, *tolerant);
		if (!error)
			error = rfs_compiler_run(settings->compiler, words, &said);
	}
	if (error) {
		first = said ? rfs_compiler_first_error(said) : xstrdup(strerror(-error));
		bug->why = xasprintf("the C program does not compile: %s", first);
		free(first);
	}
	free(said);
	free(search);
	free(folder);
	return !error;
}

/* ---- its runs ---- */

/* A result that is a pointer to freed memory: the program reads it, which may end in a memory error. */
static bool confirm_c_is_same(const struct rfs_generated_bug *bug, enum rfs_ending ending)
{
	bool unreadable = false;

	for (size_t i = 0; bug->ending == RFS_ENDING_RESULT && i < bug->results.observed.n; i++)
		unreadable |= strcmp(bug->results.observed.values[i], "unreadable") == 0;
	return rfs_ending_same(bug->ending, ending) || (unreadable && ending == RFS_ENDING_MEMORY);
}

static char *confirm_c_copy_of(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static void confirm(const char *record, const struct rfs_report_shown *shown, struct rfs_generated_bug *bug)
{
	bug->confirmed = true;
	bug->record = confirm_c_copy_of(record);
	bug->page = confirm_c_copy_of(shown->page);
	bug->story = confirm_c_copy_of(shown->story);
}

static void take_failure(const struct rfs_report *report, struct rfs_generated_bug *bug)
{
	for (size_t i = 0; i < report->n_failures && !bug->confirmed; i++) {
		const struct rfs_report_failure *failure = &report->failures[i];

		if (rfs_failure_is_finding(failure) &&
		    confirm_c_is_same(bug, rfs_ending_of_failure(failure->kind, failure->number)))
			confirm(failure->run.record, &failure->run.shown, bug);
	}
	for (size_t i = 0; i < report->n_pairs && !bug->confirmed; i++) {
		const struct rfs_report_pair *pair = &report->pairs[i];

		if (pair->failed && pair->failures && pair->record && !pair->not_replayed &&
		    confirm_c_is_same(bug, rfs_ending_of_failure(pair->kind, pair->number)))
			confirm(pair->record, &pair->shown, bug);
	}
	for (size_t i = 0; i < report->n_deadlocks && !bug->confirmed; i++)
		if (bug->ending == RFS_ENDING_DEADLOCK && report->deadlocks[i].run.replayed != RFS_REPLAY_DIFFERENT)
			confirm(report->deadlocks[i].run.record, &report->deadlocks[i].run.shown, bug);
}

/* Seconds for the runs of one policy: what is left of the session, but not nothing. */
static double confirm_c_budget_of(const struct rfs_confirm_settings *settings)
{
	double left = settings->deadline - rfs_clock();

	return left > BUDGET ? BUDGET : left > BUDGET_MIN ? left : BUDGET_MIN;
}

/* What all runs of a program have in common. */
struct confirmation {
	const struct rfs_confirm_settings *settings;
	const char *program, *folder; /* folder: of their output */
	unsigned runs;		      /* of each policy */
	struct rfs_generated_bug *bug;
	char why[512]; /* if no runs can be made */
};

/* Makes runs with one policy, until one fails. race: for RaceFuzzer; otherwise NULL. */
static int confirm_c_make_runs(struct confirmation *confirmation, const char *policy, enum rfs_points points,
			       const struct rfs_pairs *race)
{
	const struct rfs_confirm_settings *settings = confirmation->settings;
	const char *program = confirmation->program, *folder = confirmation->folder;
	struct rfs_generated_bug *bug = confirmation->bug;
	char *why = confirmation->why;
	const size_t n = sizeof(confirmation->why);
	static char *none[] = {NULL};
	char *argv[] = {(char *)program, NULL},
	     **environment = rfs_generate_environment(settings->guard, NULL, false, false);
	struct rfs_program target = {.path = (char *)program, .argv = argv};
	struct rfs_options options = {
		.mode = race ? RFS_MODE_PAIRS : RFS_MODE_SAMPLE,
		.pairs = race ? program : NULL, /* a name for messages */
		.seed = settings->options->seed,
		.runs = race ? RACE_RUNS : confirmation->runs,
		.predict_runs = PREDICT_RUNS,
		.jobs = (unsigned)settings->options->jobs,
		.until_failure = true,
		.hang_factor = 10,
		.budget = confirm_c_budget_of(settings),
		.output = folder,
		.run = {.points = points,
			.modules = settings->watched,
			.no_locks = none,
			.limits.timeout = TIMEOUT,
			.sleep_race = 1,
			.process.cwd = folder}, /* the program may write files */
		.points_given = !race,
		.timeout_given = true,
		.log = RFS_LOG_QUIET,
		.argv = argv,
	};
	struct rfs_output output;
	struct rfs_report report;
	enum rfs_log_level level = rfs_log_level();
	int error = rfs_samplers_parse("policy", policy, &options.samplers, why, n);

	rfs_tree_remove(folder);
	bug->policy = policy;
	bug->points = points;
	if (!error)
		error = rfs_samplers_load(&options.samplers, race, why, n);
	if (!error)
		error = rfs_output_open(folder, argv, &output, why, n);
	if (!error) {
		const struct rfs_campaign_settings campaign = {
			.options = &options,
			.program = &target,
			.pairs = race,
			.output = &output,
			.envp = environment,
			.cancel_fd = settings->cancel_fd,
			.server = settings->server,
			.run = settings->run,
			.plain = settings->plain,
		};

		rfs_report_init(&report);
		rfs_log_set_level(RFS_LOG_QUIET);
		error = rfs_campaign_run(&campaign, &report, why, n);
		rfs_log_set_level(level);
		take_failure(&report, bug);
		rfs_report_release(&report);
		rfs_output_close(&output);
	}
	rfs_samplers_release(&options.samplers);
	rfs_variables_free(environment);
	return error;
}

/* Writes the file that the comment of the program names. */
static void write_pairs(const struct rfs_pairs *pairs, const struct rfs_generated_bug *bug)
{
	char *path = pairs_path(bug);
	FILE *out = fopen(path, "we");

	if (out)
		rfs_pairs_write(pairs, out);
	if (!out || fclose(out))
		rfs_warn("cannot write %s: %s", path, strerror(errno));
	free(path);
}

/* Creates the race in the program. */
static int make_race(struct confirmation *confirmation, const struct rfs_place *race)
{
	struct rfs_name names[2];
	struct rfs_pairs pairs = {0};
	int error;

	for (int i = 0; i < 2; i++)
		names[i] = (struct rfs_name){
			.form = RFS_NAME_OFFSET,
			.name = (char *)rfs_base_name(race[i].module),
			.number = race[i].offset,
		};
	rfs_pairs_add(&pairs, names, NULL);
	error = confirm_c_make_runs(confirmation, RACEFUZZER, RFS_POINTS_MEMORY, &pairs);
	if (confirmation->bug->confirmed)
		write_pairs(&pairs, confirmation->bug);
	rfs_pairs_release(&pairs);
	return error;
}

/* The policy `first` comes first, then the race, and then all other policies. */
static int make_all_runs(struct confirmation *confirmation, const struct rfs_place *race, const char *first,
			 enum rfs_points points)
{
	const struct rfs_generated_bug *bug = confirmation->bug;
	const char *policy;
	int error = strcmp(first, RACEFUZZER) == 0 ? 0 : confirm_c_make_runs(confirmation, first, points, NULL);

	if (!bug->confirmed && !error && race)
		error = make_race(confirmation, race);
	for (size_t i = 0; !bug->confirmed && !error && (policy = rfs_executor_policy(i)); i++)
		if (strcmp(policy, first) != 0)
			error = confirm_c_make_runs(confirmation, policy, points, NULL);
	return error;
}

void rfs_confirm_discard(const struct rfs_confirm_settings *settings, const char *name,
			 const struct rfs_generated_bug *bug)
{
	char *program = xasprintf("%s/%s", settings->folder, name),
	     *folder = xasprintf("%s/%s.runs", settings->folder, name);

	unlink(bug->source);
	unlink(program);
	rfs_tree_remove(folder);
	free(folder);
	free(program);
}

/* Forgets what an earlier call has found. */
static void confirm_c_forget(struct rfs_generated_bug *bug)
{
	free(bug->source);
	free(bug->command);
	free(bug->why);
	bug->source = bug->command = bug->why = NULL;
}

void rfs_confirm_c(const struct rfs_confirm_settings *settings, enum rfs_confirm_effort effort, const char *name,
		   const struct rfs_place *race, struct rfs_generated_bug *bug)
{
	char *program = xasprintf("%s/%s", settings->folder, name),
	     *folder = xasprintf("%s/%s.runs", settings->folder, name);
	struct confirmation confirmation = {
		.settings = settings, .program = program, .folder = folder, .runs = runs_of[effort], .bug = bug};
	const char *first = bug->policy;
	const enum rfs_points points = bug->points;
	bool tolerant;

	confirm_c_forget(bug);
	bug->source = xasprintf("%s/%s.%s", settings->folder, name, settings->compiler->is_cxx ? "cc" : "c");
	bug->compiled = confirm_c_compile(settings, program, bug, &tolerant);
	if (bug->compiled) {
		int error = make_all_runs(&confirmation, race, first,
					  effort == RFS_CONFIRM_THOROUGH ? RFS_POINTS_MEMORY : points);

		if (bug->confirmed)
			(void)confirm_c_write_program(settings, bug, tolerant); /* its comment says how it failed */
		else
			bug->why = xstrdup(error ? confirmation.why : "the C program does not fail in the same way");
	}
	if (!bug->confirmed) {
		bug->policy = first;
		bug->points = points;
	}
	free(folder);
	free(program);
}
