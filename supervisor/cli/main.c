/* main.c - parses the command line, checks the files that it names, runs the mode, and writes the report. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/error.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/base/output.h"
#include "supervisor/campaign/baseline.h"
#include "supervisor/campaign/campaign.h"
#include "supervisor/campaign/options.h"
#include "supervisor/campaign/program.h"
#include "supervisor/campaign/samplers.h"
#include "supervisor/cli/environment.h"
#include "supervisor/cli/gdb_session.h"
#include "supervisor/cli/machine.h"
#include "supervisor/cli/options.h"
#include "supervisor/cli/pairs_file.h"
#include "supervisor/cli/program.h"
#include "supervisor/cli/replay.h"
#include "supervisor/cli/resume.h"
#include "supervisor/cli/simplify.h"
#include "supervisor/cli/verify.h"
#include "supervisor/generate/generate.h"
#include "supervisor/report/html_index.h"
#include "supervisor/report/plot.h"
#include "supervisor/report/report.h"
#include "supervisor/report/report_write.h"
#include "supervisor/run/run.h"
#include "supervisor/server/server.h"

typedef void rfs_write_fn(const struct rfs_report *report, bool colour, FILE *out);

static void write_json(const struct rfs_report *report, bool colour, FILE *out)
{
	(void)colour;
	rfs_report_write_json(report, out);
}

/* A form of the report. Caller frees the text. */
struct rendered {
	char *text;
	size_t size;
};

static struct rendered render(const struct rfs_report *report, rfs_write_fn *write, bool colour)
{
	struct rendered form;
	FILE *out = open_memstream(&form.text, &form.size);

	if (!out)
		die("out of memory while writing the report");
	write(report, colour, out);
	fclose(out);
	return form;
}

/*
 * Writes a form of the report to a file in the output folder. If that fails, prints a line and returns false. The
 * program continues then, because the report must still be printed.
 */
static bool save(const struct rendered *form, const struct rfs_output *output, const char *name)
{
	char why[1024];
	int error = rfs_output_write(output, name, form->text, form->size, why, sizeof(why));

	if (error)
		rfs_error("%s", why);
	return !error;
}

static bool save_new(const struct rfs_report *report, rfs_write_fn *write, const struct rfs_output *output,
		     const char *name)
{
	struct rendered form = render(report, write, false);
	bool saved = save(&form, output, name);

	free(form.text);
	return saved;
}

/* Writes the report to the output folder and to standard output. False if it could not be written to all of these. */
static bool publish(const struct rfs_report *report, const struct rfs_options *options, const struct rfs_output *output)
{
	/* rendered once for file and output: the text may say which packages are missing, a search in many files */
	struct rendered text = render(report, rfs_report_write_text, false), json = render(report, write_json, false);
	struct rendered coloured = {0}, *shown = options->json ? &json : &text;
	bool written;
	char why[1024];

	written = save(&text, output, "report.txt");
	written &= save(&json, output, "report.json");
	written &= save_new(report, rfs_html_index_write, output, "index.html");
	if (report->triage.file)
		written &= save_new(report, rfs_report_write_triage, output, "triage.txt");
	if (rfs_report_has_unconfirmed(report))
		written &= save_new(report, rfs_report_write_unconfirmed, output, "unconfirmed.txt");
	if (!options->json && isatty(STDOUT_FILENO) && !getenv("NO_COLOR")) {
		coloured = render(report, rfs_report_write_text, true);
		shown = &coloured;
	}
	if (rfs_output_print(stdout, "standard output", shown->text, shown->size, why, sizeof(why))) {
		rfs_error("%s", why);
		written = false;
	}
	free(text.text);
	free(json.text);
	free(coloured.text);
	if (options->stats)
		rfs_report_write_stats(report, stderr);
	return written;
}

static void write_plot(const struct rfs_report *report, bool colour, FILE *out)
{
	(void)colour;
	rfs_plot_write(report, out);
}

/* Writes the plot. True if it was written, or if plot is NULL because there is no --plot. */
static bool publish_plot(const struct rfs_report *report, const char *name, FILE *plot)
{
	struct rendered form;
	char why[1024];
	int error;

	if (!plot)
		return true;
	form = render(report, write_plot, false);
	error = rfs_output_print(plot, name, form.text, form.size, why, sizeof(why));
	if (error)
		rfs_warn("%s", why);
	free(form.text);
	return !error;
}

/* Opens the output folder and the journal of a campaign, a new one or one that continues. */
static int open_output(const struct rfs_options *options, const struct rfs_program *program, char **command,
		       const struct rfs_resumed *resumed, struct rfs_output *output, struct rfs_journal **journal,
		       char *why, size_t n)
{
	int error;

	*journal = resumed->journal;
	if (resumed->journal) {
		error = rfs_resume_check(resumed, program, why, n);
		return error ? error : rfs_output_reopen(resumed->directory, output, why, n);
	}
	error = rfs_output_open(options->output, command, output, why, n);
	if (error)
		return error;
	error = rfs_resume_begin(output, command, program, journal, why, n);
	if (error)
		rfs_output_discard(output);
	return error;
}

static enum rfs_exit run_campaign(const struct rfs_options *options, const struct rfs_program *program,
				  const struct rfs_pairs_file *file, char *const *envp, const char *note,
				  char **command, const struct rfs_resumed *resumed, int cancel_fd)
{
	struct rfs_campaign_settings settings = {
		.options = options,
		.program = program,
		.pairs = &file->pairs,
		.import = file->imported ? &file->import : NULL,
		.envp = envp,
		.note = note,
		.cancel_fd = cancel_fd,
		.terminal = isatty(STDERR_FILENO) && options->log != RFS_LOG_QUIET,
		.server = &rfs_server_ops,
		.run = rfs_run,
		.plain = rfs_baseline_run,
	};
	struct rfs_output output;
	struct rfs_report report;
	enum rfs_exit exit;
	char why[1024] = "";
	FILE *plot = NULL;
	int error;

	/* opened before the runs, so that a file that cannot be written is reported before any time is spent */
	if (options->plot && !(plot = fopen(options->plot, "we")))
		die("--plot: cannot write '%s': %s", options->plot, strerror(errno));
	if (open_output(options, program, command, resumed, &output, &settings.journal, why, sizeof(why)))
		die("%s", why);
	settings.output = &output;
	rfs_report_init(&report);
	error = rfs_campaign_run(&settings, &report, why, sizeof(why));
	if (error && report.n_pairs + report.n_deadlocks + report.n_failures == 0) {
		/* there are no findings, so this line is enough and no report is written */
		rfs_error("%s", why);
		if (plot)
			unlink(options->plot);
		rfs_resume_end(&output, settings.journal, false);
		rfs_output_discard(&output);
		rfs_report_release(&report);
		return RFS_EXIT_INPUT;
	}
	exit = rfs_report_exit(&report);
	if ((!publish(&report, options, &output) | !publish_plot(&report, options->plot, plot)) &&
	    exit != RFS_EXIT_FINDING)
		exit = RFS_EXIT_INPUT;
	if (error) {
		rfs_error("%s", why);
		exit = exit == RFS_EXIT_FINDING ? exit : RFS_EXIT_INPUT;
	}
	if (plot)
		fclose(plot);
	rfs_resume_end(&output, settings.journal, report.interrupted);
	rfs_output_close(&output);
	rfs_report_release(&report);
	return exit;
}

struct replay {
	const struct rfs_options *options;
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

	return rfs_replay(replay->options->replay, &also, replay->cancel_fd, rfs_run);
}

/* Prints what an option such as --help asks for. In one piece, because stdio forgets errors of earlier pieces. */
static void print_and_release(struct rfs_options *options)
{
	char *text = NULL, why[1024];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die("out of memory");
	rfs_options_print(options, out);
	fclose(out);
	if (rfs_output_print(stdout, "standard output", text, size, why, sizeof(why)) < 0)
		die("%s", why);
	free(text);
	rfs_options_release(options);
}

int main(int argc, char **argv)
{
	struct rfs_options options;
	struct rfs_pairs_file file = {0};
	struct rfs_program program = {0};
	struct rfs_resumed resumed = {0};
	enum rfs_exit exit;
	char *const *words;
	char why[1024];
	char **envp;
	bool leaks_off;
	int cancel_fd;

	if (argc > 1 && (strcmp(argv[1], "--generate") == 0 || strncmp(argv[1], "--generate=", 11) == 0)) {
		const struct rfs_generate_runs runs = {
			.server = &rfs_server_ops,
			.run = rfs_run,
			.plain = rfs_baseline_run,
		};

		return rfs_generate(argc, argv, &runs);
	}
	if (rfs_options_parse(argc, argv, &options, why, sizeof(why)) < 0)
		die("%s", why);
	if (options.action != RFS_ACTION_RUN) {
		print_and_release(&options);
		return RFS_EXIT_CLEAN;
	}
	if (options.resume) {
		if (rfs_resume_load(options.resume, &resumed, why, sizeof(why)))
			die("%s", why);
		rfs_options_release(&options);
		argc = resumed.argc;
		argv = resumed.argv;
		if (rfs_options_parse(argc, argv, &options, why, sizeof(why)) < 0)
			die("%s", why);
	}
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
		struct replay replay = {&options, cancel_fd};

		if (options.gdb)
			exit = rfs_gdb_session(options.argv, options.stop_at, cancel_fd, replay_debugged, &replay);
		else
			exit = replay_debugged(&replay, NULL);
	} else {
		if (options.mode == RFS_MODE_PAIRS &&
		    rfs_pairs_file_read(options.pairs, options.triage, &file, why, sizeof(why)) < 0)
			die("%s", why);
		words = options.argv[0] ? options.argv : file.pairs.program;
		if (!words)
			die("no program given, and '%s' has no program line; add PROGRAM", options.pairs);
		if (rfs_program_resolve(words, options.run.fresh_dir, &program, why, sizeof(why)) < 0)
			die("%s", why);
		if (program.script && !options.run.follow)
			rfs_warn("'%s' is a script; running its interpreter '%s'", program.script, program.path);
		envp = rfs_environment(&program, environ, options.run.follow != NULL, &leaks_off);
		if (leaks_off)
			rfs_warn("%s", RFS_LEAKS_NOT_SEARCHED);
		if (options.mode == RFS_MODE_VERIFY)
			exit = rfs_verify(&options, &program, envp, cancel_fd, rfs_run);
		else
			exit = run_campaign(&options, &program, &file, envp, leaks_off ? RFS_LEAKS_NOT_SEARCHED : NULL,
					    argv, &resumed, cancel_fd);
		rfs_environment_free(envp);
		rfs_program_release(&program);
		rfs_pairs_file_release(&file);
		free(resumed.argv);
	}
	rfs_options_release(&options);
	return exit;
}
