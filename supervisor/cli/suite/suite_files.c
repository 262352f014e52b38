/* suite_files.c - report.json, index.html, and the files of --sarif and --junit. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/file.h"
#include "supervisor/base/text/plural.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/cli/campaign/merge.h"
#include "supervisor/cli/campaign/publish.h"
#include "supervisor/cli/suite/suite-priv.h"
#include "supervisor/report/html/html_style.h"
#include "supervisor/report/machine/github.h"
#include "supervisor/report/machine/json_put.h"
#include "supervisor/report/machine/sarif_join.h"
#include "supervisor/report/text/markup.h"

/* This many records of a test are kept. */
#define RECORDS 3
/* A text of a test that is longer is cut in the JUnit file. */
#define TEXT_MAX (1u << 20)

/* ---- reports of tests ---- */

static json_t *load(const struct rfs_suite *suite, const struct rfs_suite_job *job, const char *file)
{
	char *path = job->has_report ? rfs_merge_file(&suite->output, job->folder, file) : NULL;
	json_t *root = path ? json_load_file(path, 0, NULL) : NULL;

	free(path);
	return root;
}

static bool is_finding(const json_t *item, bool pair)
{
	const char *verdict = json_string_value(json_object_get(item, "verdict"));

	if (json_object_get(item, "plain") || json_object_get(item, "known") || json_object_get(item, "suppressed"))
		return false;
	return !pair || (verdict && (strcmp(verdict, "real") == 0 || strcmp(verdict, "harmful") == 0));
}

void rfs_report_records(const char *report, const char *folder, char ***list)
{
	static const char *const lists[] = {"failures", "deadlocks", "pairs"};
	json_t *root = json_load_file(report, 0, NULL), *item;
	const size_t n = strlen(folder);
	size_t i, kept = 0;

	for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++)
		json_array_foreach(json_object_get(root, lists[k]), i, item)
		{
			const char *record = json_string_value(json_object_get(item, "record"));

			if (record && kept < RECORDS && strncmp(record, folder, n) == 0 &&
			    is_finding(item, strcmp(lists[k], "pairs") == 0)) {
				rfs_words_add(list, record + n);
				kept++;
			}
		}
	json_decref(root);
}

/* ---- report.json ---- */

static void write_json(const struct rfs_suite *suite, FILE *out)
{
	json_t *root = json_object(), *tests = json_array();

	rfs_json_put_number(root, "schema", 1);
	for (size_t i = 0; i < suite->tests.n; i++) {
		const struct rfs_suite_job *job = &suite->jobs[i];
		json_t *test = json_object(), *report = load(suite, job, "report.json");
		char *name = rfs_job_name(job);

		rfs_json_put_text(test, "name", name);
		rfs_json_put_text(test, "suite", job->test->suite);
		rfs_json_put_text(test, "outcome", rfs_outcome_word(job->outcome));
		rfs_json_put_number(test, "status", rfs_outcome_exit(job->outcome));
		rfs_json_put_text(test, "says", job->says);
		if (job->cached)
			rfs_json_put(test, "cached", json_true());
		if (job->plain_runs) {
			json_t *plain = json_object();

			rfs_json_put_number(plain, "runs", job->plain_runs);
			rfs_json_put_number(plain, "failures", job->plain_failures);
			rfs_json_put(test, "plain", plain);
		}
		if (job->has_report)
			rfs_json_put_text(test, "directory", job->folder);
		if (report)
			rfs_json_put(test, "report", report);
		rfs_json_append(tests, test);
		free(name);
	}
	rfs_json_put(root, "tests", tests);
	rfs_json_print(root, out);
}

/* ---- SARIF ---- */

static void write_sarif(const struct rfs_suite *suite, FILE *out)
{
	struct rfs_sarif_join join;

	rfs_sarif_join_begin(&join);
	for (size_t i = 0; i < suite->tests.n; i++)
		rfs_sarif_join_add(&join, load(suite, &suite->jobs[i], RFS_MERGE_SARIF));
	rfs_sarif_join_end(&join, out);
}

/* What --format github says of tests that are red without a finding. */
static json_t *red_tests(const struct rfs_suite *suite)
{
	json_t *tests = json_array();

	for (size_t i = 0; i < suite->tests.n; i++) {
		const struct rfs_suite_job *job = &suite->jobs[i];
		char *name = rfs_job_name(job);

		if (job->outcome != RFS_OUTCOME_FOUND && rfs_outcome_exit(job->outcome) != RFS_EXIT_CLEAN)
			rfs_json_append(tests, rfs_github_test(name, rfs_outcome_word(job->outcome), job->says));
		free(name);
	}
	return tests;
}

/* ---- JUnit ---- */

static void put_attribute(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	rfs_markup_escape(value, out);
	fputc('"', out);
}

static void put_element(FILE *out, const char *element, const char *type, const char *message, const char *body)
{
	fprintf(out, "      <%s", element);
	put_attribute(out, "message", message);
	if (type)
		put_attribute(out, "type", type);
	fputc('>', out);
	rfs_markup_escape(body, out);
	fprintf(out, "</%s>\n", element);
}

/* How JUnit takes an outcome: "failure", "error", "skipped", or NULL for a test that passes. */
static const char *element_of(enum rfs_job_outcome outcome)
{
	switch (outcome) {
	case RFS_OUTCOME_FOUND:
	case RFS_OUTCOME_FAILED:
		return "failure";
	case RFS_OUTCOME_NOT_RUN:
	case RFS_OUTCOME_UNCONTROLLED:
	case RFS_OUTCOME_INCOMPLETE:
		return "error";
	case RFS_OUTCOME_SKIPPED:
	case RFS_OUTCOME_DISABLED:
	case RFS_OUTCOME_OPEN:
		return "skipped";
	default:
		return NULL;
	}
}

/* The report of the test in words, or its output. Caller frees. */
static char *body_of(const struct rfs_suite *suite, const struct rfs_suite_job *job)
{
	char *path = rfs_merge_file(&suite->output, job->folder, "report.txt"), *text = NULL, *body;
	size_t size;

	if (job->outcome == RFS_OUTCOME_FOUND && rfs_file_read(path, TEXT_MAX, &text, &size) == 0) {
		body = xstrndup(text, size);
		free(text);
	} else {
		body = xstrdup(job->outcome == RFS_OUTCOME_FAILED && job->watch.output ? job->watch.output : "");
	}
	free(path);
	return body;
}

static void junit_test(const struct rfs_suite *suite, const struct rfs_suite_job *job, FILE *out)
{
	const char *element = element_of(job->outcome), *word = rfs_outcome_word(job->outcome);
	const bool flaky = job->plain_failures && job->plain_failures < job->plain_runs;
	char time[32], *body;

	snprintf(time, sizeof(time), "%.3f", job->turn.seconds + job->watch.seconds);
	fputs("    <testcase", out);
	put_attribute(out, "classname", job->test->suite);
	put_attribute(out, "name", job->test->name);
	put_attribute(out, "time", time);
	if (!element && !flaky) {
		fputs("/>\n", out);
		return;
	}
	fputs(">\n", out);
	body = body_of(suite, job);
	if (element)
		put_element(out, element, strcmp(element, "skipped") == 0 ? NULL : word, job->says ? job->says : word,
			    strcmp(element, "failure") == 0 ? body : "");
	if (flaky) {
		char *says = xasprintf("%u of %u runs without rfsup failed", job->plain_failures, job->plain_runs);

		put_element(out, "flakyFailure", "flaky", says, "");
		free(says);
	}
	fputs("    </testcase>\n", out);
	free(body);
}

/* A suite for each suite of the framework. */
static void write_junit(const struct rfs_suite *suite, FILE *out)
{
	bool *done = xcalloc(suite->tests.n, sizeof(*done));

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
	for (size_t first = 0; first < suite->tests.n; first++) {
		const char *name = suite->tests.list[first].suite;
		size_t tests = 0, failures = 0, errors = 0, skipped = 0;

		if (done[first])
			continue;
		for (size_t i = first; i < suite->tests.n; i++) {
			const char *element = element_of(suite->jobs[i].outcome);

			if (strcmp(suite->tests.list[i].suite, name) != 0)
				continue;
			tests++;
			failures += element && strcmp(element, "failure") == 0;
			errors += element && strcmp(element, "error") == 0;
			skipped += element && strcmp(element, "skipped") == 0;
		}
		fputs("  <testsuite", out);
		put_attribute(out, "name", name);
		fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", tests, failures,
			errors, skipped);
		for (size_t i = first; i < suite->tests.n; i++)
			if (!done[i] && strcmp(suite->tests.list[i].suite, name) == 0) {
				junit_test(suite, &suite->jobs[i], out);
				done[i] = true;
			}
		fputs("  </testsuite>\n", out);
	}
	fputs("</testsuites>\n", out);
	free(done);
}

/* ---- index.html ---- */

/* The tests that matter most come first. */
static const enum rfs_job_outcome html_order[] = {
	RFS_OUTCOME_FOUND,	  RFS_OUTCOME_FAILED,	  RFS_OUTCOME_FLAKY,	RFS_OUTCOME_NOT_RUN,
	RFS_OUTCOME_UNCONTROLLED, RFS_OUTCOME_INCOMPLETE, RFS_OUTCOME_OPEN,	RFS_OUTCOME_OK,
	RFS_OUTCOME_ONE_THREAD,	  RFS_OUTCOME_SKIPPED,	  RFS_OUTCOME_DISABLED,
};

static void html_test(const struct rfs_suite_job *job, FILE *out)
{
	char *name = rfs_job_name(job);

	fputs("<tr><td>", out);
	rfs_markup_escape(rfs_outcome_word(job->outcome), out);
	fputs("</td><td>", out);
	if (job->has_report) {
		fputs("<a href=\"", out);
		/* a folder may have characters that mean something in an address */
		for (const char *c = job->folder; *c; c++)
			if (strchr("%?#\"<>&", *c))
				fprintf(out, "%%%02X", (unsigned char)*c);
			else
				fputc(*c, out);
		fputs("/index.html\">", out);
	}
	rfs_markup_escape(name, out);
	if (job->has_report)
		fputs("</a>", out);
	fputs("</td><td>", out);
	rfs_markup_escape(job->says ? job->says : "", out);
	fputs("</td></tr>\n", out);
	free(name);
}

static void write_html(const struct rfs_suite *suite, FILE *out)
{
	size_t found = 0;

	for (size_t i = 0; i < suite->tests.n; i++)
		found += suite->jobs[i].outcome == RFS_OUTCOME_FOUND;
	fprintf(out,
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>rfsup: %zu of %zu tests "
		"have "
		"findings</title>\n<meta name=\"viewport\" content=\"width=device-width\"><style>%s"
		"td{padding:2px 1em 2px 0;vertical-align:top}</style></head>\n<body>\n"
		"<h1>%zu of %zu test%s with findings</h1>\n<table>\n",
		found, suite->tests.n, rfs_html_style, found, suite->tests.n, rfs_plural(suite->tests.n));
	for (size_t k = 0; k < sizeof(html_order) / sizeof(*html_order); k++)
		for (size_t i = 0; i < suite->tests.n; i++)
			if (suite->jobs[i].outcome == html_order[k])
				html_test(&suite->jobs[i], out);
	fputs("</table>\n</body></html>\n", out);
}

/* ---- all of them ---- */

typedef void write_fn(const struct rfs_suite *suite, FILE *out);

static char *suite_files_render(const struct rfs_suite *suite, write_fn *write, size_t *size)
{
	char *text = NULL;
	FILE *out = xopen_memstream(&text, size);

	write(suite, out);
	fclose(out);
	return text;
}

static bool save(const struct rfs_suite *suite, const char *name, write_fn *write, bool print)
{
	char why[1024], *text;
	size_t size;
	bool written;

	text = suite_files_render(suite, write, &size);
	written = rfs_output_write(&suite->output, name, text, size, why, sizeof(why)) == 0;
	if (!written)
		rfs_error("%s", why);
	if (print && rfs_output_print(stdout, "standard output", text, size, why, sizeof(why))) {
		rfs_error("%s", why);
		written = false;
	}
	free(text);
	return written;
}

static bool save_at(const struct rfs_suite *suite, const char *option, const char *path, write_fn *write)
{
	char *text;
	size_t size;
	bool written;

	if (!path)
		return true;
	text = suite_files_render(suite, write, &size);
	written = rfs_publish_text(option, path, text, size);
	free(text);
	return written;
}

bool rfs_suite_write(const struct rfs_suite *suite)
{
	const struct rfs_options *options = suite->runs->options;
	bool written = save(suite, "report.json", write_json, options->json);

	written &= save(suite, "index.html", write_html, false);
	written &= save_at(suite, "sarif", options->sarif, write_sarif);
	if (options->github) {
		size_t size;
		char *sarif = suite_files_render(suite, write_sarif, &size);

		written &= rfs_github_publish(sarif, options->suite, red_tests(suite));
		free(sarif);
	}
	return save_at(suite, "junit", options->junit, write_junit) && written;
}
