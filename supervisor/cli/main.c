/*
 * main.c - parses the command line, checks the files that it names, and runs the mode. The table `modes` says which
 * mode that is.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/base/output.h"
#include "supervisor/base/variables.h"
#include "supervisor/campaign/decisions/baseline.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/program.h"
#include "supervisor/campaign/settings/samplers.h"
#include "supervisor/cli/campaign/gtest.h"
#include "supervisor/cli/campaign/resume.h"
#include "supervisor/cli/campaign/run_campaign.h"
#include "supervisor/cli/campaign/shard.h"
#include "supervisor/cli/doctor.h"
#include "supervisor/cli/environment.h"
#include "supervisor/cli/machine.h"
#include "supervisor/cli/options/options.h"
#include "supervisor/cli/options/pairs_file.h"
#include "supervisor/cli/own_end.h"
#include "supervisor/cli/program.h"
#include "supervisor/cli/recorded/gdb_session.h"
#include "supervisor/cli/recorded/pack.h"
#include "supervisor/cli/recorded/pack_replay.h"
#include "supervisor/cli/recorded/replay.h"
#include "supervisor/cli/recorded/simplify.h"
#include "supervisor/cli/suite/suite.h"
#include "supervisor/cli/test_list.h"
#include "supervisor/cli/verify.h"
#include "supervisor/generate/generate.h"
#include "supervisor/generate/options.h"
#include "supervisor/report/data/report_own.h"
#include "supervisor/run/run.h"
#include "supervisor/server/server.h"

/* What the command line says, and what a mode needs besides. */
struct command {
	int argc;
	char **argv;
	struct rfs_options options;
	struct rfs_resumed resumed; /* --continue */
	bool sharded;		    /* --shard or --merge: `shard` is open */
	struct rfs_shard shard;
	struct rfs_report_own own; /* how the program fails without control; rfsup then ends in the same way */
	int cancel_fd;
};

/* ---- modes that start no program ---- */

static bool asks_doctor(const struct rfs_options *options)
{
	return options->action == RFS_ACTION_DOCTOR;
}

static enum rfs_exit run_doctor(struct command *command)
{
	return rfs_doctor(command->options.argv);
}

static bool asks_text(const struct rfs_options *options)
{
	return options->action != RFS_ACTION_RUN;
}

/* Prints what an option such as --help asks for. In one piece, because stdio forgets errors of earlier pieces. */
static enum rfs_exit print_text(struct command *command)
{
	char *text = NULL, why[1024];
	size_t size = 0;
	FILE *out = xopen_memstream(&text, &size);

	rfs_options_print(&command->options, out);
	fclose(out);
	if (rfs_output_print(stdout, "standard output", text, size, why, sizeof(why)) < 0)
		die("%s", why);
	free(text);
	return RFS_EXIT_CLEAN;
}

static bool asks_pack(const struct rfs_options *options)
{
	return options->pack != NULL;
}

static enum rfs_exit run_pack(struct command *command)
{
	const struct rfs_options *options = &command->options;
	char why[1024];

	rfs_log_set_level(options->log);
	if (rfs_pack(options->pack, options->output, options->argv, why, sizeof(why)))
		die("%s", why);
	return RFS_EXIT_CLEAN;
}

/* ---- modes for recorded runs ---- */

static bool asks_simplify(const struct rfs_options *options)
{
	return options->mode == RFS_MODE_SIMPLIFY;
}

static enum rfs_exit run_simplify(struct command *command)
{
	const struct rfs_options *options = &command->options;

	return rfs_simplify(options->simplify, options->timeout_given ? options->run.limits.timeout : 0, options->trust,
			    command->cancel_fd, rfs_run);
}

struct replay {
	const struct rfs_options *options;
	const char *record;
	int cancel_fd;
};

static enum rfs_exit replay_debugged(void *arg, const struct rfs_gdb_settings *gdb)
{
	const struct replay *replay = arg;

	const struct rfs_replay_also also = {
		.gdb = gdb,
		.page = replay->options->html,
		.timeline = replay->options->trace,
		.timeout = replay->options->timeout_given ? replay->options->run.limits.timeout : 0,
		.trusted = replay->options->trust,
	};

	return rfs_replay(replay->record, &also, replay->cancel_fd, rfs_run);
}

/* Replays a record, which may be that of a pack. */
static enum rfs_exit replay_record(void *arg, const char *record)
{
	struct replay replay = *(const struct replay *)arg;
	const struct rfs_options *options = replay.options;
	const struct rfs_gdb_front front = {
		.arguments = options->argv, .waits = options->gdb_waits, .port = options->gdb_port};

	replay.record = record;
	if (options->gdb)
		return rfs_gdb_session(&front, options->stop_at, replay.cancel_fd, replay_debugged, &replay);
	return replay_debugged(&replay, NULL);
}

static bool asks_replay(const struct rfs_options *options)
{
	return options->mode == RFS_MODE_REPLAY;
}

static enum rfs_exit run_replay(struct command *command)
{
	const struct rfs_options *options = &command->options;
	struct replay replay = {.options = options, .cancel_fd = command->cancel_fd};

	if (!rfs_pack_is(options->replay))
		return replay_record(&replay, options->replay);
	if (options->html)
		die("--html does not work with a pack; unpack it with tar, and replay its record");
	if (options->trace)
		die("--trace does not work with a pack; unpack it with tar, and replay its record");
	return rfs_pack_replay(options->replay, options->trust, replay_record, &replay);
}

/* ---- modes that run PROGRAM ---- */

/* What a run of a program needs besides options and words. */
struct run_settings {
	const struct rfs_pairs_file *file;
	const struct rfs_resumed *resumed;
	struct rfs_shard *shard; /* NULL: no plan is carried out */
	struct rfs_report_own *own;
	int cancel_fd;
};

/* Runs a campaign, or --verify. command: the words of the command line. */
static enum rfs_exit run_program(void *arg, const struct rfs_options *options, char *const *words, char **command)
{
	const struct run_settings *settings = arg;
	struct rfs_program program = {0};
	enum rfs_exit exit;
	char why[1024];
	char **given, **envp;
	bool leaks_off;

	if (rfs_program_resolve(words, options->run.job.fresh_dir, &program, why, sizeof(why)) < 0)
		die("%s", why);
	if (program.script && !options->run.follow)
		rfs_warn("'%s' is a script; running its interpreter '%s'", program.script, program.path);
	given = rfs_variables_set(environ, options->env);
	envp = rfs_environment(&program, given, options->run.follow != NULL, &leaks_off);
	if (leaks_off)
		rfs_warn("%s", RFS_LEAKS_NOT_SEARCHED);
	if (options->mode == RFS_MODE_VERIFY)
		exit = rfs_verify(options, &program, envp, settings->cancel_fd, rfs_run);
	else
		exit = rfs_cli_campaign_run(
			&(struct rfs_cli_campaign){
				.options = options,
				.program = &program,
				.file = settings->file,
				.envp = envp,
				.note = leaks_off ? RFS_LEAKS_NOT_SEARCHED : NULL,
				.command = command,
				.resumed = settings->resumed,
				.shard = settings->shard,
				.cancel_fd = settings->cancel_fd,
			},
			settings->own);
	rfs_variables_free(envp);
	rfs_variables_free(given);
	rfs_program_release(&program);
	return exit;
}

static bool asks_suite(const struct rfs_options *options)
{
	return options->suite != NULL;
}

/* A campaign of a test, in a separate process. */
static enum rfs_exit run_suite_test(const struct rfs_suite_runs *runs, const struct rfs_options *options,
				    char *const *words, char **command, const struct rfs_resumed *resumed)
{
	struct rfs_pairs_file file = {0};
	struct rfs_report_own own;
	struct run_settings settings = {
		.file = &file,
		.resumed = resumed,
		.own = &own,
		.cancel_fd = runs->cancel_fd,
	};

	return run_program(&settings, options, words, command);
}

static enum rfs_exit run_suite(struct command *command)
{
	const struct rfs_options *options = &command->options;
	const struct rfs_suite_runs runs = {
		.options = options,
		.command = command->argv,
		.cancel_fd = command->cancel_fd,
		.resolve = rfs_program_resolve,
		.release = rfs_program_release,
		.campaign = run_suite_test,
	};
	enum rfs_exit exit = rfs_suite(&runs, &command->own);

	command->own.failed = rfs_own_end_counts(&command->own, options, exit);
	return exit == RFS_EXIT_FINDING ? (enum rfs_exit)options->error_exitcode : exit;
}

static bool asks_test_list(const struct rfs_options *options)
{
	const bool runs = options->mode == RFS_MODE_CAMPAIGN || options->mode == RFS_MODE_PAIRS ||
			  options->mode == RFS_MODE_SAMPLE;

	return runs && !options->resume && !options->parts && !options->merge && !options->plan &&
	       rfs_test_list_is_asked(options->argv);
}

/* PROGRAM is only asked for the list of its tests. */
static enum rfs_exit list_tests(struct command *command)
{
	const struct rfs_options *options = &command->options;

	rfs_log_set_level(options->log);
	rfs_note("'%s' lists its tests, so it runs without rfsup", options->argv[0]);
	die("cannot execute '%s': %s", options->argv[0], strerror(-rfs_test_list_execute(options->argv, options->env)));
}

static bool asks_program(const struct rfs_options *options)
{
	(void)options;
	return true;
}

/* Runs PROGRAM, or each test of it. */
static enum rfs_exit run_or_gtest(struct command *command)
{
	const struct rfs_options *options = &command->options;
	struct rfs_pairs_file file = {0};
	const struct run_settings settings = {
		.file = &file,
		.resumed = &command->resumed,
		.shard = command->sharded ? &command->shard : NULL,
		.own = &command->own,
		.cancel_fd = command->cancel_fd,
	};
	enum rfs_exit exit;
	char *const *words;
	char why[1024];

	if (options->mode == RFS_MODE_PAIRS &&
	    rfs_pairs_file_read(options->pairs, options->triage, &file, why, sizeof(why)) < 0)
		die("%s", why);
	words = options->argv[0] ? options->argv : file.pairs.program;
	if (!words)
		die("no program given, and '%s' has no program line; add PROGRAM", options->pairs);
	if (options->gtest && !command->resumed.journal)
		exit = rfs_gtest(options, command->argv, command->cancel_fd, run_program, (void *)&settings,
				 &command->own);
	else
		exit = run_program((void *)&settings, options, words, command->argv);
	rfs_pairs_file_release(&file);
	command->own.failed = rfs_own_end_counts(&command->own, options, exit);
	free(command->resumed.argv);
	rfs_shard_close(&command->shard);
	return exit == RFS_EXIT_FINDING ? (enum rfs_exit)options->error_exitcode : exit;
}

/* The first row whose condition holds says what rfsup does. */
static const struct mode {
	bool (*asked)(const struct rfs_options *options);
	bool controls; /* it controls a program, so files, policies and this machine are checked before */
	enum rfs_exit (*run)(struct command *command);
} modes[] = {
	{asks_doctor, false, run_doctor},    {asks_text, false, print_text},	 {asks_pack, false, run_pack},
	{asks_simplify, true, run_simplify}, {asks_replay, true, run_replay},	 {asks_suite, true, run_suite},
	{asks_test_list, false, list_tests}, {asks_program, true, run_or_gtest},
};

static const struct mode *asked_mode(const struct rfs_options *options)
{
	const struct mode *mode = modes;

	while (!mode->asked(options))
		mode++;
	return mode;
}

/* ---- the command line ---- */

/* Opens the plan of --shard or --merge, and takes the command line from it. */
static void main_take_plan(struct command *command)
{
	struct rfs_options given = command->options;
	struct rfs_shard *shard = &command->shard;
	char why[1024];

	if (rfs_options_check_files(&given, why, sizeof(why)) < 0)
		die("%s", why);
	if (rfs_shard_open(&given, command->argv, shard, why, sizeof(why)))
		die("%s", why);
	command->sharded = true;
	command->argc = shard->resumed.argc;
	command->argv = shard->resumed.argv;
	if (rfs_options_parse(command->argc, command->argv, &command->options, why, sizeof(why)) < 0)
		die("%s", why);
	rfs_shard_take_options(shard, &given, &command->options);
	rfs_options_release(&given);
}

/*
 * Takes the command line from the campaign that --continue names. Options that only change the shown text are taken
 * from both command lines.
 */
static void take_resumed(struct command *command)
{
	struct rfs_options *options = &command->options;
	const enum rfs_log_level log = options->log;
	const enum rfs_colour colour = options->colour;
	char why[1024];

	if (rfs_resume_load(options->resume, &command->resumed, why, sizeof(why)))
		die("%s", why);
	command->argc = command->resumed.argc;
	command->argv = command->resumed.argv;
	rfs_options_release(options);
	if (rfs_options_parse(command->argc, command->argv, options, why, sizeof(why)) < 0)
		die("%s", why);
	if (log != RFS_LOG_NORMAL)
		options->log = log;
	if (colour != RFS_COLOUR_AUTO)
		options->colour = colour;
}

/* Checks what the modes that control a program need. */
static void prepare_control(struct command *command)
{
	struct rfs_options *options = &command->options;
	char why[1024];

	if (options->resume)
		take_resumed(command);
	if (options->parts || options->merge)
		main_take_plan(command);
	rfs_log_set_level(options->log);
	if (rfs_options_check_files(options, why, sizeof(why)) < 0)
		die("%s", why);
	if (rfs_samplers_load(&options->samplers, options->pairs, why, sizeof(why)) < 0 ||
	    rfs_samplers_load(&options->explorers, false, why, sizeof(why)) < 0)
		die("%s", why);
	if (rfs_machine_check(why, sizeof(why)))
		die("%s", why);
	if (rfs_interrupt_init(&command->cancel_fd))
		die("cannot set up signal handlers");
}

int main(int argc, char **argv)
{
	struct command command = {.argc = argc, .argv = argv, .shard = {.lock = -1}};
	enum rfs_exit exit;
	char why[1024];

	if (rfs_generate_is_meant(argc, argv)) {
		const struct rfs_generate_runs runs = {
			.server = &rfs_server_ops,
			.run = rfs_run,
			.plain = rfs_baseline_run,
		};

		return rfs_generate(argc, argv, &runs);
	}
	if (rfs_options_parse(argc, argv, &command.options, why, sizeof(why)) < 0)
		die("%s", why);
	if (asked_mode(&command.options)->controls)
		prepare_control(&command);
	/* --continue, --shard and --merge have replaced the options, and may have changed the mode. */
	exit = asked_mode(&command.options)->run(&command);
	rfs_options_release(&command.options);
	if (command.own.failed)
		rfs_own_end(&command.own);
	return exit;
}
