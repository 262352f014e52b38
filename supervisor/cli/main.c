/* main.c - parses the command line, checks the files that it names, and runs the mode. */
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
#include "supervisor/cli/verify.h"
#include "supervisor/generate/generate.h"
#include "supervisor/generate/options.h"
#include "supervisor/report/data/report_own.h"
#include "supervisor/run/run.h"
#include "supervisor/server/server.h"

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

	if (rfs_program_resolve(words, options->run.fresh_dir, &program, why, sizeof(why)) < 0)
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
		.timeout = replay->options->timeout_given ? replay->options->run.timeout : 0,
		.trusted = replay->options->trust,
	};

	return rfs_replay(replay->record, &also, replay->cancel_fd, rfs_run);
}

/* Replays a record, which may be that of a pack. */
static enum rfs_exit replay_record(void *arg, const char *record)
{
	struct replay replay = *(const struct replay *)arg;
	const struct rfs_options *options = replay.options;

	replay.record = record;
	if (options->gdb)
		return rfs_gdb_session(options->argv, options->stop_at, replay.cancel_fd, replay_debugged, &replay);
	return replay_debugged(&replay, NULL);
}

/* Prints what an option such as --help asks for. In one piece, because stdio forgets errors of earlier pieces. */
static void print_and_release(struct rfs_options *options)
{
	char *text = NULL, why[1024];
	size_t size = 0;
	FILE *out = xopen_memstream(&text, &size);

	rfs_options_print(options, out);
	fclose(out);
	if (rfs_output_print(stdout, "standard output", text, size, why, sizeof(why)) < 0)
		die("%s", why);
	free(text);
	rfs_options_release(options);
}

/* Runs PROGRAM, or each test of it. command: the words of the command line. *own: how it fails by itself. */
static enum rfs_exit run_or_gtest(const struct rfs_options *options, char **command, const struct rfs_resumed *resumed,
				  struct rfs_shard *shard, int cancel_fd, struct rfs_report_own *own)
{
	struct rfs_pairs_file file = {0};
	const struct run_settings settings = {&file, resumed, shard, own, cancel_fd};
	enum rfs_exit exit;
	char *const *words;
	char why[1024];

	if (options->mode == RFS_MODE_PAIRS &&
	    rfs_pairs_file_read(options->pairs, options->triage, &file, why, sizeof(why)) < 0)
		die("%s", why);
	words = options->argv[0] ? options->argv : file.pairs.program;
	if (!words)
		die("no program given, and '%s' has no program line; add PROGRAM", options->pairs);
	if (options->gtest && !resumed->journal)
		exit = rfs_gtest(options, command, cancel_fd, run_program, (void *)&settings, own);
	else
		exit = run_program((void *)&settings, options, words, command);
	rfs_pairs_file_release(&file);
	own->failed = rfs_own_end_counts(own, options, exit);
	return exit == RFS_EXIT_FINDING ? (enum rfs_exit)options->error_exitcode : exit;
}

/* Opens the plan of --shard or --merge, and takes the command line from it. */
static void main_take_plan(struct rfs_shard *shard, struct rfs_options *options, int *argc, char ***argv)
{
	struct rfs_options given = *options;
	char why[1024];

	if (rfs_options_check_files(&given, why, sizeof(why)) < 0)
		die("%s", why);
	if (rfs_shard_open(&given, *argv, shard, why, sizeof(why)))
		die("%s", why);
	*argc = shard->resumed.argc;
	*argv = shard->resumed.argv;
	if (rfs_options_parse(*argc, *argv, options, why, sizeof(why)) < 0)
		die("%s", why);
	rfs_shard_take_options(shard, &given, options);
	rfs_options_release(&given);
}

/* Replaces the options by those of the campaign that continues. What only changes the shown text is taken from both. */
static void continue_options(const struct rfs_resumed *resumed, struct rfs_options *options)
{
	const enum rfs_log_level log = options->log;
	const enum rfs_colour colour = options->colour;
	char why[1024];

	rfs_options_release(options);
	if (rfs_options_parse(resumed->argc, resumed->argv, options, why, sizeof(why)) < 0)
		die("%s", why);
	if (log != RFS_LOG_NORMAL)
		options->log = log;
	if (colour != RFS_COLOUR_AUTO)
		options->colour = colour;
}

int main(int argc, char **argv)
{
	struct rfs_options options;
	struct rfs_resumed resumed = {0};
	struct rfs_shard shard = {.lock = -1};
	struct rfs_report_own own = {0};
	bool sharded;
	enum rfs_exit exit;
	char why[1024];
	int cancel_fd;

	if (rfs_generate_is_meant(argc, argv)) {
		const struct rfs_generate_runs runs = {
			.server = &rfs_server_ops,
			.run = rfs_run,
			.plain = rfs_baseline_run,
		};

		return rfs_generate(argc, argv, &runs);
	}
	if (rfs_options_parse(argc, argv, &options, why, sizeof(why)) < 0)
		die("%s", why);
	if (options.action == RFS_ACTION_DOCTOR) {
		exit = rfs_doctor(options.argv);
		rfs_options_release(&options);
		return exit;
	}
	if (options.action != RFS_ACTION_RUN) {
		print_and_release(&options);
		return RFS_EXIT_CLEAN;
	}
	if (options.pack) {
		rfs_log_set_level(options.log);
		if (rfs_pack(options.pack, options.output, options.argv, why, sizeof(why)))
			die("%s", why);
		rfs_options_release(&options);
		return RFS_EXIT_CLEAN;
	}
	if (options.resume) {
		if (rfs_resume_load(options.resume, &resumed, why, sizeof(why)))
			die("%s", why);
		continue_options(&resumed, &options);
		argc = resumed.argc;
		argv = resumed.argv;
	}
	sharded = options.parts || options.merge;
	if (sharded)
		main_take_plan(&shard, &options, &argc, &argv);
	rfs_log_set_level(options.log);
	if (rfs_options_check_files(&options, why, sizeof(why)) < 0)
		die("%s", why);
	if (rfs_samplers_load(&options.samplers, options.pairs, why, sizeof(why)) < 0 ||
	    rfs_samplers_load(&options.explorers, false, why, sizeof(why)) < 0)
		die("%s", why);
	if (rfs_machine_check(why, sizeof(why)))
		die("%s", why);
	if (rfs_interrupt_init(&cancel_fd))
		die("cannot set up signal handlers");
	if (options.mode == RFS_MODE_SIMPLIFY) {
		exit = rfs_simplify(options.simplify, options.timeout_given ? options.run.timeout : 0, options.trust,
				    cancel_fd, rfs_run);
	} else if (options.mode == RFS_MODE_REPLAY) {
		struct replay replay = {.options = &options, .cancel_fd = cancel_fd};

		const bool packed = rfs_pack_is(options.replay);

		if (packed && options.html)
			die("--html does not work with a pack; unpack it with tar, and replay its record");
		if (packed)
			exit = rfs_pack_replay(options.replay, options.trust, replay_record, &replay);
		else
			exit = replay_record(&replay, options.replay);
	} else {
		exit = run_or_gtest(&options, argv, &resumed, sharded ? &shard : NULL, cancel_fd, &own);
		free(resumed.argv);
		rfs_shard_close(&shard);
	}
	rfs_options_release(&options);
	if (own.failed)
		rfs_own_end(&own);
	return exit;
}
