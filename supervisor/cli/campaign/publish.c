/* publish.c - the names and places of all files of a report. report/ writes what is in them. */
#include "supervisor/cli/campaign/publish.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/output.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/html/html_index.h"
#include "supervisor/report/html/plot.h"
#include "supervisor/report/machine/github.h"
#include "supervisor/report/machine/json_put.h"
#include "supervisor/report/machine/report_json.h"
#include "supervisor/report/machine/report_junit.h"
#include "supervisor/report/machine/report_sarif.h"
#include "supervisor/report/text/report_text.h"
#include "supervisor/report/text/text_triage.h"

typedef void rfs_write_fn(const struct rfs_report *report, bool colour, FILE *out);

static void publish_write_json(const struct rfs_report *report, bool colour, FILE *out)
{
	(void)colour;
	rfs_report_write_json(report, out);
}

static void write_generated(const struct rfs_report *report, bool colour, FILE *out)
{
	(void)colour;
	fputs(report->suppressions.generated, out);
}

/* A form of the report. Caller frees the text. */
struct rendered {
	char *text;
	size_t size;
};

static struct rendered publish_render(const struct rfs_report *report, rfs_write_fn *write, bool colour)
{
	struct rendered form;
	FILE *out = xopen_memstream(&form.text, &form.size);

	write(report, colour, out);
	fclose(out);
	return form;
}

/*
 * Writes a form of the report to a file in the output folder. If that fails, prints a line and returns false. The
 * program continues then, because the report must still be printed.
 */
static bool publish_save(const struct rendered *form, const struct rfs_output *output, const char *name)
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
	struct rendered form = publish_render(report, write, false);
	bool saved = publish_save(&form, output, name);

	free(form.text);
	return saved;
}

/* Replaces the file, or the file that a symbolic link names. Writes into pipes and devices. 0 or -errno. */
static int write_at(const char *path, const char *text, size_t size)
{
	char *real = realpath(path, NULL), why[1024];
	const char *name = real ? real : path;
	struct stat st;
	FILE *out;
	int error;

	if (stat(name, &st) < 0 || S_ISREG(st.st_mode)) {
		error = rfs_file_replace(name, text, size, 0666, true);
	} else {
		out = fopen(name, "we");
		error = out ? rfs_output_print(out, name, text, size, why, sizeof(why)) : -errno;
		if (out)
			fclose(out);
	}
	free(real);
	return error;
}

bool rfs_publish_text(const char *option, const char *path, const char *text, size_t size)
{
	int error = write_at(path, text, size);

	if (error)
		rfs_error("--%s: cannot write '%s': %s", option, path, strerror(-error));
	return !error;
}

/* Writes a form to the file that an option names; NULL: the option was not given. */
static bool publish_save_at(const char *option, const char *path, const struct rfs_report *report, rfs_write_fn *write)
{
	struct rendered form;
	bool written;

	if (!path)
		return true;
	form = publish_render(report, write, false);
	written = rfs_publish_text(option, path, form.text, form.size);
	free(form.text);
	return written;
}

/* What --format github says of a program that is red without a finding. */
static json_t *red_program(const struct rfs_report *report, const struct rfs_options *options, const char *name)
{
	const enum rfs_exit status = rfs_report_exit(report);
	const bool passes =
		status == RFS_EXIT_FINDING || rfs_report_own_skips(report) ||
		(options->launcher && report->incomplete && strcmp(report->incomplete, RFS_ONE_THREAD) == 0);
	json_t *tests = json_array();

	if (report->own.failed && status != RFS_EXIT_FINDING && !rfs_report_own_skips(report))
		rfs_json_append(tests, rfs_github_test(name, RFS_GITHUB_FAILED, "it fails in every run without rfsup"));
	else if (status != RFS_EXIT_CLEAN && !passes)
		rfs_json_append(tests, rfs_github_test(name, "incomplete",
						       report->incomplete ? report->incomplete : report->uncontrolled));
	return tests;
}

static bool wants_colour(enum rfs_colour colour)
{
	if (colour == RFS_COLOUR_AUTO)
		return isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	return colour == RFS_COLOUR_ALWAYS;
}

bool rfs_publish(const struct rfs_report *report, const struct rfs_options *options, const struct rfs_output *output)
{
	/* rendered once for file and output: the text may say which packages are missing, a search in many files */
	struct rendered text = publish_render(report, rfs_report_write_text, false),
			json = publish_render(report, publish_write_json, false);
	struct rendered coloured = {0}, *shown = options->json ? &json : &text;
	bool written;
	char why[1024];

	written = publish_save(&text, output, "report.txt");
	written &= publish_save(&json, output, "report.json");
	written &= save_new(report, rfs_html_index_write, output, "index.html");
	if (report->triage.file)
		written &= save_new(report, rfs_report_write_triage, output, "triage.txt");
	if (report->suppressions.generated)
		written &= save_new(report, write_generated, output, "suppressions.txt");
	if (rfs_report_has_unconfirmed(report))
		written &= save_new(report, rfs_report_write_unconfirmed, output, "unconfirmed.txt");
	written &= publish_save_at("sarif", options->sarif, report, rfs_report_write_sarif);
	written &= publish_save_at("junit", options->junit, report, rfs_report_write_junit);
	if (!options->json && wants_colour(options->colour)) {
		coloured = publish_render(report, rfs_report_write_text, true);
		shown = &coloured;
	}
	if (rfs_output_print(stdout, "standard output", shown->text, shown->size, why, sizeof(why))) {
		rfs_error("%s", why);
		written = false;
	}
	if (options->github) {
		struct rendered sarif = publish_render(report, rfs_report_write_sarif, false);
		const char *name = report->program.n_items ? report->program.items[0] : "the program";

		written &= rfs_github_publish(sarif.text, name, red_program(report, options, name));
		free(sarif.text);
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

bool rfs_publish_plot(const struct rfs_report *report, const char *name, FILE *plot)
{
	struct rendered form;
	char why[1024];
	int error;

	if (!plot)
		return true;
	form = publish_render(report, write_plot, false);
	error = rfs_output_print(plot, name, form.text, form.size, why, sizeof(why));
	if (error)
		rfs_warn("%s", why);
	free(form.text);
	return !error;
}
