/* report_violation_test.c - how a report shows predicted atomicity violations. */
#include "supervisor/report/data/report_violation.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/machine/report_json.h"
#include "supervisor/report/machine/report_junit.h"
#include "supervisor/report/machine/report_sarif.h"
#include "supervisor/report/text/report_text.h"

TestSuite(report_violation, .timeout = 20);

static void set(struct rfs_report_violation_access *access, int thread, unsigned how, unsigned line)
{
	access->thread = thread;
	access->access = how;
	access->place.module = xstrdup("/opt/bank");
	access->place.file = xstrdup("/src/bank.c");
	access->place.line = line;
	access->place.function = xstrdup("move");
}

static struct rfs_report_violation *add(struct rfs_report *report)
{
	struct rfs_report_violation *violation = rfs_report_add_violation(&report->violations);

	violation->pattern = "R-w-W";
	violation->variable = xstrdup("balance");
	set(&violation->first, 1, RFS_ACCESS_READ, 10);
	set(&violation->remote, 2, RFS_ACCESS_WRITE | RFS_ACCESS_FREE, 20);
	set(&violation->second, 1, RFS_ACCESS_WRITE, 30);
	violation->runs = 9;
	return violation;
}

static void fill(struct rfs_report *report)
{
	struct rfs_report_violation *violation;

	rfs_report_init(report);
	rfs_report_add_string(&report->program, "./bank");
	report->directory = xstrdup("out");
	add(report)->created = 4;
	violation = add(report);
	violation->lock = xstrdup("bank_lock");
	violation->created = violation->failed = 1;
	violation->detail = xstrdup("SIGABRT");
	violation->harmful = true;
	violation->orders = (struct rfs_report_orders){.tests = 1, .runs = {20, 20}, .failed = {20, 3}};
	rfs_report_finish(report);
}

static char *written(void (*write)(const struct rfs_report *report, bool colour, FILE *out),
		     const struct rfs_report *report)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	write(report, false, out);
	fclose(out);
	return text;
}

static void expect(const char *text, const char *part)
{
	cr_expect(strstr(text, part), "no '%s' in\n%s", part, text);
}

/* Only the harmful one is shown at once. */
Test(report_violation, as_text)
{
	struct rfs_report report;
	char *text, *others;

	fill(&report);
	text = written(rfs_report_write_text, &report);
	others = written(rfs_report_write_unconfirmed, &report);
	expect(text, "HARMFUL ATOMICITY VIOLATION R-w-W on balance");
	expect(text, "thread 1 reads it in move at /src/bank.c:10, and later writes it in move at /src/bank.c:30");
	expect(text, "thread 2 frees it in move at /src/bank.c:20, between the two");
	expect(text, "separate section of bank_lock");
	expect(text, "SIGABRT: the program failed in 20 of 20 runs with the violation, and in 3 of 20 without it");
	expect(text, "2 violations predicted, 2 created (made to happen), 1 harmful; listed in out/unconfirmed.txt");
	cr_expect(rfs_report_has_unconfirmed(&report));
	expect(others, "\nATOMICITY VIOLATION R-w-W on balance");
	expect(others, "created in 4 of 9 runs; 0 of them failed");
	cr_expect_null(strstr(others, "HARMFUL"), "%s", others);
	free(text);
	free(others);
	rfs_report_release(&report);
}

/* An unrolled loop has each statement several times. For the reader they are one violation. */
Test(report_violation, other_instructions_of_its_lines_are_the_same_violation)
{
	struct rfs_report report;

	rfs_report_init(&report);
	for (size_t i = 0; i < 3; i++) {
		struct rfs_report_violation *violation = add(&report);

		violation->harmful = true;
		violation->finding = 1;
		violation->second.place.offset = 16 * i;
		violation->second.place.line += i == 2;
	}
	rfs_report_violations_join(&report.violations);
	cr_expect_eq(report.violations.list[0].shown_by, 0);
	cr_expect_eq(report.violations.list[1].shown_by, 1);
	cr_expect_eq(report.violations.list[2].shown_by, 0, "another line");
	cr_expect_eq(rfs_report_violations_count(&report.violations, false).harmful, 2);
	rfs_report_release(&report);
}

/* Adds two failures that look alike. The violation has shown the second one. Returns the second one. */
static struct rfs_report_failure *add_failures(struct rfs_report *report)
{
	for (size_t i = 1; i <= 2; i++) {
		struct rfs_report_failure *failure = rfs_report_add_failure(report);

		failure->kind = RFS_FAILURE_SIGNAL;
		failure->detail = xstrdup("SIGABRT in move");
		failure->finding = i;
	}
	report->violations.list[1].finding = 2;
	rfs_report_finish(report);
	return report->failures[0].finding == 2 ? &report->failures[0] : &report->failures[1];
}

/* With --baseline: not shown if its failure is known. Another failure may have the same text. */
Test(report_violation, of_a_known_failure)
{
	struct rfs_report report;
	struct rfs_report_failure *own, *other;
	char *text;

	fill(&report);
	own = add_failures(&report);
	other = own == report.failures ? own + 1 : own - 1;
	report.known_in = xstrdup("earlier.json");
	other->identity.known = true;
	text = written(rfs_report_write_text, &report);
	expect(text, "HARMFUL ATOMICITY VIOLATION");
	free(text);
	own->identity.known = true;
	text = written(rfs_report_write_text, &report);
	cr_expect_null(strstr(text, "HARMFUL"), "%s", text);
	free(text);
	rfs_report_release(&report);
}

/* Other tools get it as what it is, and a failure that nothing explains stays a crash. */
Test(report_violation, in_forms_for_other_tools)
{
	struct rfs_report report;
	const struct rfs_report_failure *own;
	char *sarif, *junit;

	fill(&report);
	own = add_failures(&report);
	cr_expect_eq(own->violation, &report.violations.list[1]);
	cr_expect_str_eq(report.violations.list[1].failure, own->identity.id);
	cr_expect_str_eq(report.violations.list[0].failure, "");
	sarif = written(rfs_report_write_sarif, &report);
	junit = written(rfs_report_write_junit, &report);
	expect(sarif, "\"ruleId\": \"atomicity-violation\"");
	expect(sarif, "\"ruleId\": \"crash\"");
	expect(sarif,
	       "HARMFUL ATOMICITY VIOLATION R-w-W on balance: thread 1 reads balance in move at /src/bank.c:10, and "
	       "later "
	       "writes it in move at /src/bank.c:30; thread 2 frees it in move at /src/bank.c:20, between the two; ");
	expect(junit, "name=\"atomicity-violation: move, move\"");
	expect(junit, "type=\"atomicity-violation\"");
	expect(junit, "name=\"crash: SIGABRT in move\"");
	free(sarif);
	free(junit);
	report.violations.list[1].order = true;
	junit = written(rfs_report_write_junit, &report);
	expect(junit, "type=\"order-violation\"");
	free(junit);
	/* one that is not harmful explains nothing */
	report.violations.list[1].harmful = false;
	rfs_report_finish(&report);
	junit = written(rfs_report_write_junit, &report);
	cr_expect_null(strstr(junit, "violation"), "%s", junit);
	free(junit);
	rfs_report_release(&report);
}

/* A pair may report the failure instead; then the pair is the finding. */
Test(report_violation, that_a_pair_reports)
{
	struct rfs_report report;
	struct rfs_report_pair *pair;

	fill(&report);
	pair = rfs_report_add_pair(&report);
	for (int k = 0; k < 2; k++)
		pair->statement[k].place.module = xstrdup("/bin/prog");
	pair->ordinal = 3;
	report.violations.list[1].finding = 1;
	report.violations.list[1].pair = 3;
	rfs_report_finish(&report);
	cr_expect_str_eq(report.violations.list[1].failure, report.pairs[0].identity.id);
	rfs_report_release(&report);
}

/* The user may have named the violation, and then its data is not known. */
Test(report_violation, of_unknown_data)
{
	struct rfs_report report;
	char *text;

	fill(&report);
	free(report.violations.list[1].variable);
	report.violations.list[1].variable = NULL;
	text = written(rfs_report_write_text, &report);
	expect(text, "thread 1 reads data in move at /src/bank.c:10, and later writes it in move at /src/bank.c:30");
	free(text);
	rfs_report_release(&report);
}

Test(report_violation, as_json)
{
	struct rfs_report report;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	const json_t *violation;
	json_t *root;

	fill(&report);
	rfs_report_write_json(&report, out);
	fclose(out);
	root = json_loads(text, 0, NULL);
	cr_assert_not_null(root, "%s", text);
	violation = json_array_get(json_object_get(root, "predicted_violations"), 1);
	cr_expect_str_eq(json_string_value(json_object_get(violation, "pattern")), "R-w-W");
	cr_expect(json_is_true(json_object_get(violation, "harmful")));
	cr_expect_eq(json_integer_value(json_object_get(json_object_get(violation, "remote"), "line")), 20);
	json_decref(root);
	free(text);
	rfs_report_release(&report);
}

/* The first thread of a program is thread 0. In some predictions, nobody knows which thread it was. */
Test(report_violation, of_the_first_thread)
{
	struct rfs_report report;
	char *text;

	for (int thread = -1; thread <= 0; thread++) {
		fill(&report);
		for (size_t i = 0; i < report.violations.n; i++) {
			report.violations.list[i].first.thread = report.violations.list[i].second.thread = thread;
			report.violations.list[i].remote.thread = thread;
		}
		text = written(rfs_report_write_text, &report);
		expect(text, thread < 0 ? "    a thread reads it in move" : "    thread 0 reads it in move");
		expect(text, thread < 0 ? "    a thread frees it in move" : "    thread 0 frees it in move");
		free(text);
		rfs_report_release(&report);
	}
}
