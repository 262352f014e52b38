/* merge.c - reads the reports of the tests from their folders, and writes them into one. */
#include "supervisor/cli/campaign/merge.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/output.h"
#include "supervisor/base/path.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/cli/campaign/publish.h"
#include "supervisor/report/data/report_own.h"
#include "supervisor/report/machine/github.h"
#include "supervisor/report/machine/json_put.h"
#include "supervisor/report/machine/sarif_join.h"

char *rfs_merge_file(const struct rfs_output *output, const char *folder, const char *file)
{
	char *name = xasprintf("%s/%s", folder, file), *path = rfs_output_file(output, name);

	free(name);
	return path;
}

char *rfs_merge_result(const struct rfs_output *output, const char *folder)
{
	static const char key[] = "result      ";
	char *path = rfs_merge_file(output, folder, "report.txt"), *line = NULL, *found = NULL;
	size_t room = 0;
	FILE *in = fopen(path, "re");

	while (in && getline(&line, &room, in) > 0)
		if (strncmp(line, key, sizeof(key) - 1) == 0) {
			free(found);
			found = xstrndup(line + sizeof(key) - 1, strcspn(line + sizeof(key) - 1, "\n"));
		}
	if (in)
		fclose(in);
	free(line);
	free(path);
	return found;
}

enum rfs_exit rfs_merge_status(enum rfs_exit a, enum rfs_exit b)
{
	static const enum rfs_exit order[] = {RFS_EXIT_FINDING, RFS_EXIT_UNCONTROLLED, RFS_EXIT_INPUT,
					      RFS_EXIT_INCOMPLETE};

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return RFS_EXIT_CLEAN;
}

void rfs_merge_own(struct rfs_report_own *all, const struct rfs_report_own *own)
{
	if (!all->failed)
		*all = *own;
	else if (all->signal != own->signal || all->number != own->number)
		*all = (struct rfs_report_own){.failed = true, .number = 1};
}

/* A JSON file of a test; NULL: there is none, because its campaign did not run. */
static json_t *merge_load(const struct rfs_merge *merge, size_t i, const char *file)
{
	char *path = rfs_merge_file(merge->output, merge->folders[i], file);
	json_t *root = json_load_file(path, 0, NULL);

	free(path);
	return root;
}

static void merge_write_json(const struct rfs_merge *merge, FILE *out)
{
	json_t *root = json_object(), *tests = json_array();

	rfs_json_put_number(root, "schema", 1);
	for (size_t i = 0; i < merge->n; i++) {
		json_t *test = json_object(), *report = merge_load(merge, i, "report.json");

		rfs_json_put_text(test, "name", merge->names[i]);
		rfs_json_put_number(test, "status", merge->statuses[i]);
		rfs_json_put_text(test, "directory", merge->folders[i]);
		if (report)
			rfs_json_put(test, "report", report);
		rfs_json_append(tests, test);
	}
	rfs_json_put(root, "tests", tests);
	rfs_json_print(root, out);
}

static void write_sarif(const struct rfs_merge *merge, FILE *out)
{
	struct rfs_sarif_join join;

	rfs_sarif_join_begin(&join);
	for (size_t i = 0; i < merge->n; i++)
		rfs_sarif_join_add(&join, merge_load(merge, i, RFS_MERGE_SARIF));
	rfs_sarif_join_end(&join, out);
}

/* What --format github says of tests that are red without a finding. */
static json_t *red_tests(const struct rfs_merge *merge)
{
	json_t *tests = json_array();

	for (size_t i = 0; i < merge->n; i++) {
		const enum rfs_exit status = merge->statuses[i];
		json_t *report = merge_load(merge, i, "report.json");
		const bool fails = json_object_get(json_object_get(report, "plain"), "always") != NULL;
		char *says = rfs_merge_result(merge->output, merge->folders[i]);

		if (status != RFS_EXIT_FINDING && (fails || status != RFS_EXIT_CLEAN))
			rfs_json_append(tests, rfs_github_test(merge->names[i],
							       fails ? RFS_GITHUB_FAILED : "incomplete", says));
		free(says);
		json_decref(report);
	}
	return tests;
}

/* Copies the suite in the file of a test. */
static void copy_suite(const char *path, FILE *out)
{
	char *line = NULL;
	size_t room = 0;
	FILE *in = fopen(path, "re");
	bool inside = false;

	/* rfsup writes the tags of a suite on separate lines, and no other line begins like that */
	while (in && getline(&line, &room, in) > 0) {
		inside |= strncmp(line, "  <testsuite ", 13) == 0;
		if (inside)
			fputs(line, out);
		if (strcmp(line, "  </testsuite>\n") == 0)
			inside = false;
	}
	if (in)
		fclose(in);
	free(line);
}

static void write_junit(const struct rfs_merge *merge, FILE *out)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
	for (size_t i = 0; i < merge->n; i++) {
		char *path = rfs_merge_file(merge->output, merge->folders[i], RFS_MERGE_JUNIT);

		copy_suite(path, out);
		free(path);
	}
	fputs("</testsuites>\n", out);
}

struct form {
	char *text;
	size_t size;
};

static struct form merge_render(const struct rfs_merge *merge, void (*write)(const struct rfs_merge *, FILE *))
{
	struct form form;
	FILE *out = xopen_memstream(&form.text, &form.size);

	write(merge, out);
	fclose(out);
	return form;
}

static bool merge_save_at(const struct rfs_merge *merge, const char *option, const char *path,
			  void (*write)(const struct rfs_merge *, FILE *))
{
	struct form form;
	bool written;

	if (!path)
		return true;
	form = merge_render(merge, write);
	written = rfs_publish_text(option, path, form.text, form.size);
	free(form.text);
	return written;
}

bool rfs_merge_reports(const struct rfs_merge *merge)
{
	struct form json = merge_render(merge, merge_write_json);
	char why[1024];
	bool written = true;

	if (rfs_output_write(merge->output, "report.json", json.text, json.size, why, sizeof(why)) ||
	    (merge->options->json &&
	     rfs_output_print(stdout, "standard output", json.text, json.size, why, sizeof(why)))) {
		rfs_error("%s", why);
		written = false;
	}
	free(json.text);
	written &= merge_save_at(merge, "sarif", merge->options->sarif, write_sarif);
	written &= merge_save_at(merge, "junit", merge->options->junit, write_junit);
	if (merge->options->github) {
		struct form sarif = merge_render(merge, write_sarif);

		written &= rfs_github_publish(sarif.text, rfs_base_name(merge->options->argv[0]), red_tests(merge));
		free(sarif.text);
	}
	return written;
}
