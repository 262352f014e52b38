/*
 * reports_test.c - reports of other tools become pairs and deadlocks of the program, whatever build they were made
 * with. The files in tests/e2e/reports are of real runs of the targets.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(reports, .timeout = 900);

struct report {
	char file[48], target[32];
	bool deadlock;
};

ParameterizedTestParameters(reports, harmful)
{
	static struct report files[] = {
		/* first, each tool and each form once, for the short check: tests/supervisor/import has the readers
		 */
		{"figure1.tsan.txt", "figure1", false},
		{"figure1.drd.xml", "figure1", false},
		{"deadlock_among_40.helgrind.txt", "deadlock_among_40", true},
		{"figure1.helgrind.txt", "figure1", false},
		{"deadlock_among_40.tsan.txt", "deadlock_among_40", true},
		{"deadlock_among_40.helgrind.xml", "deadlock_among_40", true},
	};

	return cr_make_param_array(struct report, files, e2e_rows(3, sizeof(files) / sizeof(*files)));
}

/* Absolute path of a file of reports. Caller frees. */
static char *path_of(const char *file)
{
	char relative[128], *path;

	snprintf(relative, sizeof(relative), "tests/e2e/reports/%s", file);
	path = realpath(relative, NULL);
	cr_assert_not_null(path, "%s", relative);
	return path;
}

static json_int_t number(const struct e2e *e2e, const char *key, const char *result)
{
	const json_t *triage = json_object_get(e2e->report, "triage");

	return json_integer_value(result ? json_object_get(json_object_get(triage, key), result)
					 : json_object_get(triage, key));
}

ParameterizedTest(struct report *report, reports, harmful)
{
	char *path = path_of(report->file), *program = e2e_target("O2g", report->target), twin[64], *fixed;
	struct e2e e2e;

	snprintf(twin, sizeof(twin), "%s_fixed", report->target);
	fixed = e2e_target("O2g", twin);
	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs", "20", "--triage", path, program));
	if (e2e_expect_status(&e2e, 1)) {
		e2e_expect(&e2e, number(&e2e, "results", "harmful") == 1, "one harmful report");
		e2e_expect(&e2e, number(&e2e, "results", "not matched") == 0, "all reports are matched");
		e2e_expect(&e2e, number(&e2e, "frames", NULL) > 0, "there are frames");
		e2e_expect(&e2e, strncmp(e2e.said.out, "reports     ", 12) == 0, "the list comes first");
		e2e_expect(&e2e, strstr(e2e.said.out, "\n\n\n") == NULL, "one blank line follows the list");
		e2e_expect_replay(&e2e, e2e_item(&e2e, report->deadlock ? "deadlocks" : "pairs", 0));
	}
	/* the twin has the same statements, so a report of it would be wrong */
	e2e_run(&e2e, WORDS("--runs", "20", "--triage", path, fixed));
	e2e_expect(&e2e, e2e.said.status == 0 || e2e.said.status == 4, "the twin has status %d", e2e.said.status);
	e2e_expect(&e2e, number(&e2e, "results", "harmful") + number(&e2e, "results", "real") == 0,
		   "nothing is found in the twin");
	e2e_end(&e2e);
	free(path);
	free(program);
	free(fixed);
}

/* --pairs does the same, with the list at the end; the number of jobs changes nothing. */
Test(reports, as_pairs)
{
	char *path = path_of("figure1.tsan.txt"), *program = e2e_target("O2g", "figure1");
	const char *list, *result;
	struct e2e e2e;
	json_t *first;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs", "10", "--pairs", path, program));
	e2e_expect_status(&e2e, 1);
	result = strstr(e2e.said.out, "\nresult ");
	list = strstr(e2e.said.out, "\nreports     1 in ");
	e2e_expect(&e2e, result && list && result < list, "the list is at the end");
	first = json_deep_copy(json_object_get(e2e.report, "triage"));
	e2e_run(&e2e, WORDS("--runs", "10", "-j2", "--pairs", path, program));
	e2e_expect(&e2e, json_equal(first, json_object_get(e2e.report, "triage")), "two jobs give the same");
	json_decref(first);
	e2e_end(&e2e);
	free(path);
	free(program);
}

/* The report.json of one run is tested by another one. */
Test(reports, of_rfsup)
{
	char *program = e2e_target("O2g", "figure1"), *copy;
	struct e2e e2e;
	char *text;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs", "10", "--explore", "0", program));
	e2e_expect_status(&e2e, 1);
	text = json_dumps(e2e.report, 0);
	spawn_file(e2e.folder, "first.json", text, strlen(text), 0600);
	if (asprintf(&copy, "%s/first.json", e2e.folder) < 0)
		cr_assert_fail("out of memory");
	e2e_run(&e2e, WORDS("--runs", "10", "--triage", copy, program));
	if (e2e_expect_status(&e2e, 1)) {
		e2e_expect(&e2e, number(&e2e, "results", "harmful") >= 1, "the race is harmful again");
		e2e_expect(&e2e, number(&e2e, "results", "not matched") == 0, "all pairs are matched");
	}
	e2e_end(&e2e);
	free(text);
	free(copy);
	free(program);
}

/* Many copies of a report are one. A report that is cut counts as far as it goes. */
Test(reports, doubled_and_cut)
{
	char *path = path_of("figure1.tsan.txt"), *program = e2e_target("O2g", "figure1"), *one = e2e_text(path), *many;
	enum { COPIES = 3000 };
	struct e2e e2e;
	size_t n;

	cr_assert_not_null(one);
	n = strlen(one);
	many = malloc(n * (COPIES + 1));
	cr_assert_not_null(many);
	for (size_t i = 0; i <= COPIES; i++)
		memcpy(many + i * n, one, n);
	e2e_begin(&e2e);
	spawn_file(e2e.folder, "many", many, n * COPIES + n / 4, 0600);
	e2e_run(&e2e, WORDS("--runs", "5", "--triage", "many", program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, number(&e2e, "reports", NULL) == COPIES + 1, "%d reports", (int)number(&e2e, "reports", NULL));
	e2e_expect(&e2e, number(&e2e, "results", "harmful") == COPIES, "all but the one that is cut");
	e2e_expect(&e2e, e2e_count(&e2e, "pairs") >= 1, "there is a pair");
	e2e_end(&e2e);
	free(one);
	free(many);
	free(path);
	free(program);
}

/* Files of several tools in one, some cut, some in another language: what can be read is tested, the rest is said. */
Test(reports, mixed)
{
	static const struct {
		const char *command, *note;
		int reports, harmful;
	} cases[] = {
		{"cat $R/figure1.tsan.txt $R/figure1.helgrind.txt $R/figure1.drd.xml", NULL, 3, 3},
		{"cat $R/figure1.drd.xml $R/figure1.drd.xml $R/figure1.tsan.txt", NULL, 3, 3},
		{"head -c 1500 $R/figure1.drd.xml; echo; cat $R/figure1.drd.xml", "the XML ends or is damaged here", 1,
		 1},
		{"cat $R/figure1.tsan.txt; sed 's/Possible data race/M\303\266gliches Rennen/' $R/figure1.helgrind.txt",
		 NULL, 2, 1},
		{"cat $R/figure1.tsan.txt; head -c 700 $R/deadlock_among_40.tsan.txt", NULL, 2, 1},
	};
	char *first = path_of("figure1.tsan.txt"), *program = e2e_target("O2g", "figure1"), command[1200];
	struct e2e e2e;

	*strrchr(first, '/') = '\0';
	e2e_begin(&e2e);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *note;

		snprintf(command, sizeof(command), "R='%s'; (%s) > mixed", first, cases[i].command);
		e2e_expect_command(&e2e, command);
		e2e_run(&e2e, WORDS("--runs", "5", "--triage", "mixed", program));
		e2e_expect_status(&e2e, 1);
		e2e_expect(&e2e, number(&e2e, "reports", NULL) == cases[i].reports, "%zu: %d reports", i,
			   (int)number(&e2e, "reports", NULL));
		e2e_expect(&e2e, number(&e2e, "results", "harmful") == cases[i].harmful, "%zu: %d are harmful", i,
			   (int)number(&e2e, "results", "harmful"));
		note = json_string_value(json_object_get(json_object_get(e2e.report, "triage"), "note"));
		e2e_expect(&e2e, cases[i].note ? note && strstr(note, cases[i].note) : !note, "%zu: note %s", i,
			   note ? note : "-");
	}
	e2e_end(&e2e);
	free(first);
	free(program);
}

/* A log of 100 MB with a report at its end, and many different reports of one access, as DRD makes them. */
Test(reports, large_files)
{
	enum { BYTES = 100000000, CALLERS = 20000 };
	char *path = path_of("figure1.tsan.txt"), *program = e2e_target("O2g", "figure1"), *one = e2e_text(path), *line;
	struct e2e e2e;
	FILE *out;

	cr_assert_not_null(one);
	e2e_begin(&e2e);
	cr_assert_gt(asprintf(&line, "%s/log", e2e.folder), 0);
	out = fopen(line, "we");
	cr_assert_not_null(out);
	for (long n = 0; n < BYTES; n += 32)
		fputs("a line of the log, == and pid=7\n", out);
	fputs(one, out);
	cr_assert_eq(fclose(out), 0);
	e2e_run(&e2e, WORDS("--runs", "5", "--triage", line, program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, number(&e2e, "reports", NULL) == 1, "one report");
	e2e_expect(&e2e, number(&e2e, "results", "harmful") == 1, "it is harmful");
	out = fopen(line, "we");
	cr_assert_not_null(out);
	for (int i = 0; i < CALLERS; i++)
		fprintf(out,
			"==7== Conflicting store by thread 3 at 0x0010c0c8 size 4\n==7==    at 0x1: thread2 "
			"(figure1.c:38)\n"
			"==7==    by 0x2: caller%d (figure1.c:%d)\n==7== \n",
			i, i);
	cr_assert_eq(fclose(out), 0);
	e2e_run(&e2e, WORDS("--runs", "5", "--triage", line, program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, number(&e2e, "different", NULL) == CALLERS, "all reports are different");
	e2e_expect(&e2e, number(&e2e, "results", "real") + number(&e2e, "results", "harmful") == CALLERS,
		   "all have the same verdict");
	e2e_expect(&e2e, e2e_count(&e2e, "pairs") == 1, "all are one pair");
	e2e_end(&e2e);
	free(line);
	free(one);
	free(path);
	free(program);
}

/* A report of another program is not matched, and the status says that it was not tested. */
Test(reports, of_another_program)
{
	char *path = path_of("figure1.tsan.txt"), *program = e2e_target("O2g", "abba_fixed");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs", "5", "--triage", path, program));
	e2e_expect_status(&e2e, 4);
	e2e_expect(&e2e, number(&e2e, "results", "not matched") == 1, "not matched");
	e2e_expect(&e2e, strstr(e2e.said.out, "1 of the reports could not be matched with the program") != NULL,
		   "the reason is given");
	e2e_end(&e2e);
	free(path);
	free(program);
}

struct refusal {
	char text[160], why[80];
};

ParameterizedTestParameters(reports, refused)
{
	static struct refusal rows[] = {
		{"WARNING: DATA RACE\nRead at 0x00c0000b4010 by goroutine 7:\n",
		 "this is a report of Go's race detector"},
		{"\xff\xfeW\001", "the file is in UTF-16"},
		{"{\"schema\": 1, \"pairs\": [", "the JSON is damaged"},
		{"{\"a\": 1}", "the JSON is not a report of rfsup"},
		{"<html></html>", "the XML is not the output of Valgrind"},
		{"<valgrindoutput><tool>drd</tool><error>", "there is no report of a race or a deadlock"},
		{"==1== Helgrind, a thread error detector\n", "there is no report of a race or a deadlock"},
		{"==1== Helgrind, a thread error detector\n==1== \n==1== M\303\266gliches Rennen bei 0x1\n==1==    at "
		 "0x1: f (a.c:1)\n",
		 "there is no report of a race or a deadlock"},
		{"a.c:1 a.c:2\n", "if it is a pairs file, use --pairs"},
		{"", "if it is a pairs file, use --pairs"},
	};

	return cr_make_param_array(struct refusal, rows, sizeof(rows) / sizeof(*rows));
}

ParameterizedTest(struct refusal *row, reports, refused)
{
	char *program = e2e_target("O2g", "figure1");
	struct e2e e2e;

	e2e_begin(&e2e);
	spawn_file(e2e.folder, "reports", row->text, strlen(row->text), 0600);
	e2e_run(&e2e, WORDS("--triage", "reports", program));
	e2e_expect_status(&e2e, 2);
	e2e_expect(&e2e, strstr(e2e.said.err, row->why) != NULL, "%s", e2e.said.err);
	e2e_expect(&e2e, strchr(e2e.said.err, '\n') == strrchr(e2e.said.err, '\n'), "one line");
	e2e_end(&e2e);
	free(program);
}
