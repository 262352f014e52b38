/* report_triage_test.c - the list of what became of the reports of another tool, as text and as JSON. */
#include "supervisor/report/data/report_triage.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/machine/json_triage.h"
#include "supervisor/report/text/report_text.h"
#include "supervisor/report/text/text_triage.h"

TestSuite(report_triage, .timeout = 10);

static void add(struct rfs_report_triage *triage, const char *what, enum rfs_triaged result, uint64_t count)
{
	struct rfs_report_triaged *added = rfs_report_add_triaged(triage);

	added->tool = "DRD";
	added->title = xstrdup("conflicting access");
	added->what = xstrdup(what);
	added->line = (unsigned)triage->n * 10;
	added->count = count;
	added->result = result;
	added->frames = 4;
	added->frames_matched = 3;
	if (result == RFS_TRIAGED_NOT_MATCHED) {
		added->why = xstrdup("no code");
		return;
	}
	added->how = "line";
	added->runs = 10;
	added->created = result == RFS_TRIAGED_HARMFUL ? 7 : 0;
}

static char *text_of(const struct rfs_report *report, void (*write)(const struct rfs_report *, bool, FILE *))
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	cr_assert_not_null(out);
	write(report, false, out);
	fclose(out);
	return text;
}

Test(report_triage, text)
{
	struct rfs_report report;
	char *text;

	rfs_report_init(&report);
	report.triage.file = xstrdup("a\033file");
	add(&report.triage, "first", RFS_TRIAGED_NOT_CREATED, 1);
	add(&report.triage, "second", RFS_TRIAGED_NOT_MATCHED, 2);
	add(&report.triage, "third", RFS_TRIAGED_HARMFUL, 3);
	text = text_of(&report, rfs_report_write_triage);
	cr_expect_eq(strstr(text, "reports     6 in a?file (3 different): 3 harmful, 1 not created, 2 not matched\n"),
		     text, "%s", text);
	cr_expect_null(strchr(text, '\033'));
	cr_expect(strstr(text, "third (3 times); created (made to happen) in 7 of 10 runs; matched by line\n") <
			  strstr(text, "first"),
		  "the worst is first: %s", text);
	cr_expect_not_null(strstr(text, "second (2 times); no code\n"), "%s", text);
	free(text);
	/* the report begins or ends with it */
	text = text_of(&report, rfs_report_write_text);
	cr_expect_neq(strncmp(text, "reports", 7), 0);
	cr_expect_not_null(strstr(text, "\nreports     6 in "));
	free(text);
	report.triage.first = true;
	text = text_of(&report, rfs_report_write_text);
	cr_expect_eq(strncmp(text, "reports     6 in ", 17), 0);
	free(text);
	rfs_report_release(&report);
}

Test(report_triage, many)
{
	struct rfs_report report;
	char *text;

	rfs_report_init(&report);
	report.triage.file = xstrdup("file");
	for (int i = 0; i < 100; i++)
		add(&report.triage, "one", RFS_TRIAGED_NOT_CREATED, 1);
	text = text_of(&report, rfs_report_write_text);
	cr_expect_not_null(strstr(text, "  60 more are in triage.txt\n"), "%s", text);
	free(text);
	text = text_of(&report, rfs_report_write_triage);
	cr_expect_null(strstr(text, "more are in"));
	free(text);
	rfs_report_release(&report);
}

Test(report_triage, json)
{
	struct rfs_report report;
	json_t *object, *list;

	rfs_report_init(&report);
	report.triage.file = xstrdup("a\xff file");
	add(&report.triage, "first \xff", RFS_TRIAGED_NOT_MATCHED, 1);
	add(&report.triage, "second", RFS_TRIAGED_HARMFUL, 2);
	free(report.triage.list[1].why);
	report.triage.list[1].why = xstrdup("it is cut: \xc3");
	object = rfs_json_triage(&report.triage);
	list = json_object_get(object, "list");
	cr_expect_str_eq(json_string_value(json_object_get(object, "file")), "a\xef\xbf\xbd file");
	cr_expect_eq(json_integer_value(json_object_get(object, "reports")), 3);
	cr_expect_eq(json_integer_value(json_object_get(object, "frames_matched")), 6);
	cr_expect_eq(json_integer_value(json_object_get(json_object_get(object, "results"), "harmful")), 2);
	cr_expect_str_eq(json_string_value(json_object_get(json_array_get(list, 0), "what")), "first \xef\xbf\xbd");
	cr_expect_str_eq(json_string_value(json_object_get(json_array_get(list, 0), "why")), "no code");
	cr_expect_null(json_object_get(json_array_get(list, 0), "matched_by"));
	cr_expect_str_eq(json_string_value(json_object_get(json_array_get(list, 1), "result")), "harmful");
	cr_expect_str_eq(json_string_value(json_object_get(json_array_get(list, 1), "why")), "it is cut: \xef\xbf\xbd");
	json_decref(object);
	rfs_report_release(&report);
}
