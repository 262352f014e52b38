/* merge.h - one result of the campaigns of several tests: status, and a report as JSON, SARIF and JUnit XML. */
#ifndef RFS_MERGE_H
#define RFS_MERGE_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/base/error.h"

struct rfs_options;
struct rfs_output;
struct rfs_report_own;

/* The files that the campaign of a test writes into its folder, if the options ask for such a file. */
#define RFS_MERGE_SARIF "report.sarif"
#define RFS_MERGE_JUNIT "report.xml"

/* Everything is borrowed. */
struct rfs_merge {
	const struct rfs_output *output;
	const struct rfs_options *options;
	char *const *names;	       /* of the tests */
	char *const *folders;	       /* of their campaigns, in the output folder */
	const enum rfs_exit *statuses; /* of their campaigns */
	size_t n;
};

/* The path of a file that the campaign of a test wrote. folder: that of the test, in the output folder. Caller frees.
 */
char *rfs_merge_file(const struct rfs_output *output, const char *folder, const char *file);
/* What the report of a test says in its line "result". folder: as above. Caller frees; NULL: there is no such line. */
char *rfs_merge_result(const struct rfs_output *output, const char *folder);
/* The worse status: 1 has priority over 3, 3 over 2, 2 over 4, and 4 over 0. */
enum rfs_exit rfs_merge_status(enum rfs_exit a, enum rfs_exit b);
/* Joins the failures of tests: they are those of a program that runs all tests. */
void rfs_merge_own(struct rfs_report_own *all, const struct rfs_report_own *own);

/*
 * Writes report.json to the output folder, and what the options ask for. The SARIF file has one run, the JUnit file a
 * suite for each test. False if something could not be written; each failure is one line on standard error.
 */
bool rfs_merge_reports(const struct rfs_merge *merge);

#endif
