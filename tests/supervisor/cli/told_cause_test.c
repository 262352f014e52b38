#include "supervisor/cli/recorded/told_cause.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(told_cause, .timeout = 10);

static const char report[] =
	"\nHARMFUL race on z  [1]\n    one\n    see it again: rfsup --replay out/records/pair-1.json\n"
	"\nCRASH \033[31m SIGABRT\n    two\n    see it again: rfsup --replay out/records/other-1.json\n"
	"    and records/pair-9.json\n"
	"\nHARMFUL race on y  [2]\n    two\n    see it again: rfsup --replay out/records/pair-2.json\n"
	"    likely the same cause\n        REAL race on x: f at a.c:1, g at a.c:2; rfsup --replay "
	"out/records/pair-3.json\n"
	"    REAL race on w: f at a.c:3; rfsup --replay out/records/pair-4.json\n"
	"\nFAILURE: SIGABRT in f  [00f5]\n    three\n    see it again: rfsup --replay out/records/fails-1.json\n"
	"\nHARMFUL ATOMICITY VIOLATION R-w-R on z\n    four\n    its failure: 00f5\n"
	"\nHARMFUL ORDER VIOLATION on z\n    five\n    its failure: 00f6\n"
	"\nprogram  ./x\n";

static void write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	cr_assert_not_null(out);
	fputs(text, out);
	fclose(out);
}

Test(told_cause, is_the_finding_with_the_record)
{
	static const struct {
		const char *record, *cause;
	} cases[] = {
		{"pair-1.json",
		 "HARMFUL race on z  [1]\n    one\n    see it again: rfsup --replay out/records/pair-1.json\n"},
		{"pair-1-simple.json",
		 "HARMFUL race on z  [1]\n    one\n    see it again: rfsup --replay out/records/pair-1.json\n"},
		{"other-1.json",
		 "CRASH  [31m SIGABRT\n    two\n    see it again: rfsup --replay out/records/other-1.json\n"
		 "    and records/pair-9.json\n"},
		{"pair-3.json",
		 "REAL race on x: f at a.c:1, g at a.c:2\n    likely the same cause as HARMFUL race on y  [2]\n    "
		 "two\n"
		 "    see it again: rfsup --replay out/records/pair-2.json\n    likely the same cause\n"
		 "        REAL race on x: f at a.c:1, g at a.c:2; rfsup --replay out/records/pair-3.json\n"
		 "    REAL race on w: f at a.c:3; rfsup --replay out/records/pair-4.json\n"},
		{"pair-4.json", "REAL race on w: f at a.c:3\n"},
		{"fails-1-simple.json",
		 "FAILURE: SIGABRT in f  [00f5]\n    three\n    see it again: rfsup --replay out/records/fails-1.json\n"
		 "\nHARMFUL ATOMICITY VIOLATION R-w-R on z\n    four\n    its failure: 00f5\n"},
		{"air-1.json", NULL},
		{"pair-9.json", NULL},
		{"-simple.json", NULL},
	};
	char folder[] = "/tmp/rfsup-told-XXXXXX", path[PATH_MAX];

	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/records", folder);
	cr_assert_eq(mkdir(path, 0700), 0);
	for (int with_report = 0; with_report < 2; with_report++) {
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
			const char *right = with_report ? cases[i].cause : NULL;
			char *cause;

			snprintf(path, sizeof(path), "%s/records/%s", folder, cases[i].record);
			write_file(path, "{}");
			cause = rfs_told_cause(path);
			cr_expect((cause != NULL) == (right != NULL) && (!cause || strcmp(cause, right) == 0),
				  "case %zu: '%s'", i, cause ? cause : "");
			free(cause);
		}
		snprintf(path, sizeof(path), "%s/report.txt", folder);
		write_file(path, report);
	}
	unlink(path);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(path, sizeof(path), "%s/records/%s", folder, cases[i].record);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/records", folder);
	rmdir(path);
	rmdir(folder);
}

Test(told_cause, has_lines)
{
	static const char cause[] = "HARMFUL race on a[1]  [0123]\n    one  two.\n";
	static const char *const lines[] = {"HARMFUL race on a[1]", "one  two.", NULL, NULL};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		char *line = rfs_told_line(cause, i);

		cr_expect((line != NULL) == (lines[i] != NULL) && (!line || strcmp(line, lines[i]) == 0),
			  "line %zu: '%s'", i, line ? line : "");
		free(line);
	}
	cr_expect_null(rfs_told_line(NULL, 0));
}
