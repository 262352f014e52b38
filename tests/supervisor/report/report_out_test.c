/* report_out_test.c - the forms of a report for other tools: SARIF and JUnit XML, and findings that are known. */
#include <criterion/criterion.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/report/data/identity.h"
#include "supervisor/report/data/known.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/machine/report_json.h"
#include "supervisor/report/machine/report_junit.h"
#include "supervisor/report/machine/report_sarif.h"
#include "supervisor/report/machine/rules.h"
#include "supervisor/report/text/report_text.h"
#include "tests/supervisor/sample.h"
#include "tests/supervisor/scratch.h"

TestSuite(report_out, .timeout = 20);

static char *written(const struct rfs_report *report, void (*write)(const struct rfs_report *, bool, FILE *))
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	write(report, false, out);
	fclose(out);
	return text;
}

static json_t *sarif_of(const struct rfs_report *report)
{
	char *text = written(report, rfs_report_write_sarif);
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	cr_assert_not_null(root, "line %d: %s", error.line, error.text);
	free(text);
	return root;
}

static json_t *result(json_t *root, size_t i)
{
	json_t *run = json_array_get(json_object_get(root, "runs"), 0);

	return json_array_get(json_object_get(run, "results"), i);
}

/* The keys are those of the published schema; with JSON_STRICT, any other key is an error. */
Test(report_out, sarif_has_the_keys_of_the_schema)
{
	struct rfs_report report;
	json_t *root, *first, *rules, *place, *flow;
	json_error_t error;
	const char *s[12], *uri;
	json_int_t index, line;
	int yes;

	sample_report(&report, "/src/two words.c");
	rfs_report_finish(&report);
	root = sarif_of(&report);
	cr_assert_eq(json_unpack_ex(root, &error, JSON_STRICT,
				    "{s:s s:s s:[{s:{s:{s:s s:s s:o}} s:[{s:b s:[]}] s:{s:{s:s}} s:[o,o,o]}]}",
				    "$schema", &s[0], "version", &s[1], "runs", "tool", "driver", "name", &s[2],
				    "version", &s[3], "rules", &rules, "invocations", "executionSuccessful", &yes,
				    "toolExecutionNotifications", "originalUriBaseIds", "WORKING_DIRECTORY", "uri",
				    &s[4], "results", &first, &place, &place),
		     0, "%s", error.text);
	cr_assert(yes && strcmp(s[1], "2.1.0") == 0 && strncmp(s[4], "file:///", 8) == 0);
	cr_assert_eq(s[4][strlen(s[4]) - 1], '/');
	cr_assert_eq(json_unpack_ex(first, &error, JSON_STRICT,
				    "{s:s s:I s:s s:{s:s} s:{s:s} s:{s:s} s:[{s:o s:[{s:s s:s}]}] s:[o] "
				    "s:[{s:[o,o]}] s:[{s:{s:s s:s} s:{s:s}}] s:{s:[s] s:s s:s}}",
				    "ruleId", &s[0], "ruleIndex", &index, "level", &s[1], "message", "text", &s[2],
				    "partialFingerprints", "rfsupFunctions/v1", &s[3], "fingerprints", "rfsupId/v1",
				    &s[4], "locations", "physicalLocation", &place, "logicalLocations",
				    "fullyQualifiedName", &s[5], "kind", &s[6], "relatedLocations", &flow, "codeFlows",
				    "threadFlows", &flow, &flow, "attachments", "artifactLocation", "uri", &s[7],
				    "uriBaseId", &s[8], "description", "text", &s[9], "properties", "findings", &s[10],
				    "record", &s[11], "replay", &s[11]),
		     0, "%s", error.text);
	cr_assert_str_eq(s[0], "harmful-race");
	cr_assert_str_eq(json_string_value(json_object_get(json_array_get(rules, (size_t)index), "id")), s[0]);
	cr_assert_str_eq(s[1], "error");
	cr_assert_str_eq(s[2], "HARMFUL race on z: first at /src/two words.c:1 writes z, and second at "
			       "/src/two words.c:2 reads it; no lock protects both; in one order the program fails: "
			       "SIGABRT in second.");
	cr_assert_str_eq(s[7], "rfsup.out.1/a%20record");
	cr_assert_str_eq(s[11], "rfsup --replay 'rfsup.out.1/a record'");
	cr_assert_eq(json_unpack_ex(flow, &error, JSON_STRICT,
				    "{s:s s:[{s:o s:s},{s:{s:{s:{s:s} s:{s:I}} s:[o] s:{s:s}} s:s}]}", "id", &s[0],
				    "locations", "location", &place, "importance", &s[1], "location",
				    "physicalLocation", "artifactLocation", "uri", &uri, "region", "startLine", &line,
				    "logicalLocations", &place, "message", "text", &s[2], "importance", &s[3]),
		     0, "%s", error.text);
	cr_assert_str_eq(uri, "file:///src/two%20words.c", "a frame of the last step");
	cr_assert(line == 2 && strcmp(s[0], "thread 2") == 0 && strcmp(s[3], "essential") == 0);
	cr_assert_str_eq(s[2], "reads z");
	json_decref(root);
	rfs_report_release(&report);
}

Test(report_out, every_rule_is_complete)
{
	size_t n = 0;

	for (const struct rfs_rule *rule = rfs_rules; rule->id; rule++, n++)
		cr_expect(rule->summary && rule->help && rule->level, "%s", rule->id);
	cr_assert_gt(n, rfs_rule_of_misuse());
}

static char *fingerprint_at(uint64_t offset, const char *function)
{
	struct rfs_report report;
	struct rfs_report_pair *pair;
	char *out;

	rfs_report_init(&report);
	pair = rfs_report_add_pair(&report);
	for (int k = 0; k < 2; k++) {
		pair->statement[k].place.module = xstrdup("/bin/prog");
		pair->statement[k].place.offset = offset + (uint64_t)k;
		pair->statement[k].place.function = function && k ? xstrdup(function) : xstrdup("other");
	}
	rfs_report_finish(&report);
	out = xstrdup(report.pairs[0].identity.fingerprint);
	rfs_report_release(&report);
	return out;
}

Test(report_out, a_fingerprint_names_functions_and_no_offsets)
{
	char *one = fingerprint_at(0x1000, "first"), *moved = fingerprint_at(0x2000, "first");
	char *renamed = fingerprint_at(0x1000, "second");

	cr_assert_str_eq(one, moved);
	cr_assert_str_neq(one, renamed);
	free(one);
	free(moved);
	free(renamed);
}

/* Writes the report as JSON, marks what a file with these contents knows, and returns the exit status. */
static enum rfs_exit status_with(const struct rfs_report *earlier, struct rfs_report *report)
{
	struct rfs_known known;
	char why[256] = "", *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	rfs_report_write_json(earlier, out);
	fclose(out);
	scratch_file("report.json", text, n, 0600);
	free(text);
	cr_assert_eq(rfs_known_read("report.json", NULL, &known, why, sizeof(why)), 0, "%s", why);
	rfs_known_mark(&known, "report.json", report);
	rfs_known_release(&known);
	return rfs_report_exit(report);
}

Test(report_out, only_new_findings_count)
{
	char *folder = scratch_enter(), *text;
	struct rfs_report earlier, report, none;
	json_t *root;

	rfs_report_init(&none);
	sample_report(&earlier, "/src/a.c");
	rfs_report_finish(&earlier);
	sample_report(&report, "/src/a.c");
	rfs_report_finish(&report);

	cr_assert_eq(status_with(&none, &report), RFS_EXIT_FINDING);
	root = sarif_of(&report);
	cr_assert_str_eq(json_string_value(json_object_get(result(root, 0), "baselineState")), "new");
	json_decref(root);

	cr_assert_eq(status_with(&earlier, &report), RFS_EXIT_CLEAN);
	root = sarif_of(&report);
	cr_assert_str_eq(json_string_value(json_object_get(result(root, 0), "baselineState")), "unchanged");
	json_decref(root);
	text = written(&report, rfs_report_write_text);
	cr_assert_null(strstr(text, "HARMFUL"), "%s", text);
	cr_assert_not_null(strstr(text, "known       3 findings of this campaign are in report.json too"), "%s", text);
	cr_assert_not_null(strstr(text, "result      nothing found"), "%s", text);
	free(text);
	text = written(&report, rfs_report_write_junit);
	cr_assert_not_null(strstr(text, "tests=\"4\" failures=\"0\" errors=\"0\" skipped=\"3\""), "%s", text);
	free(text);
	rfs_report_release(&earlier);
	rfs_report_release(&report);
	scratch_leave(folder);
}

Test(report_out, a_bad_earlier_report_is_refused)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"", "is not a JSON report: line 1"},
		{"{\"pairs\": [", "is not a JSON report"},
		{"[]", "is not a report of rfsup"},
		{"{\"schema\": 1}", "is not a report of rfsup"},
		{"{\"pairs\": [{\"verdict\": \"real\"}]}", "was written by an older rfsup"},
	};
	char *folder = scratch_enter(), why[256];
	struct rfs_known known;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		scratch_file("bad.json", cases[i].text, strlen(cases[i].text), 0600);
		cr_expect_eq(rfs_known_read("bad.json", NULL, &known, why, sizeof(why)), -EINVAL);
		cr_expect_not_null(strstr(why, cases[i].says), "%zu: %s", i, why);
	}
	scratch_leave(folder);
}

Test(report_out, junit_escapes_what_the_program_says)
{
	struct rfs_report report;
	char *text;

	sample_report(&report, "/src/a.c");
	free(report.failures[0].detail);
	report.failures[0].detail = xstrdup("<\"&\x01\xff\xef\xbf\xbf");
	report.incomplete = xstrdup("no time");
	rfs_report_finish(&report);
	text = written(&report, rfs_report_write_junit);
	cr_assert_not_null(strstr(text, "name=\"failure: &lt;&quot;&amp;&#xfffd;&#xfffd;&#xfffd;\""), "%s", text);
	cr_assert_not_null(strstr(text, "<error message=\"no time\" type=\"incomplete\">"), "%s", text);
	cr_assert_not_null(strstr(text, "tests=\"4\" failures=\"3\" errors=\"1\" skipped=\"0\""), "%s", text);
	free(text);
	rfs_report_release(&report);
}

/* "status 1" of one test is not that of another one; a race in code that they share is. */
Test(report_out, failures_of_other_tests_are_not_known)
{
	static const char text[] =
		"{\"tests\": [{\"name\": \"a\", \"report\": {\"pairs\": [{\"verdict\": \"real\", \"fingerprint\": "
		"\"1\"}],"
		" \"failures\": [{\"fingerprint\": \"2\"}]}},"
		" {\"name\": \"b\", \"report\": {\"pairs\": [], \"failures\": [{\"fingerprint\": \"3\"}]}}]}";
	static const struct {
		const char *name, *fingerprints;
	} rows[] = {{"a", "12"}, {"b", "13"}, {"c", "1"}, {NULL, "123"}};
	char *folder = scratch_enter(), why[256] = "";

	scratch_file("all.json", text, strlen(text), 0600);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char all[8] = "";
		struct rfs_known known;

		cr_assert_eq(rfs_known_read("all.json", rows[i].name, &known, why, sizeof(why)), 0, "%s", why);
		for (size_t k = 0; k < known.n; k++)
			strcat(all, known.fingerprints[k]);
		cr_expect_str_eq(all, rows[i].fingerprints, "row %zu: %s", i, all);
		rfs_known_release(&known);
	}
	scratch_leave(folder);
}
