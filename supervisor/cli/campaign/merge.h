/* merge.h - one report of the campaigns of several tests: JSON, SARIF and JUnit XML. */
#ifndef RFS_MERGE_H
#define RFS_MERGE_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/base/error.h"

struct rfs_options;
struct rfs_output;

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

/*
 * Writes report.json to the output folder, and what the options ask for. The SARIF file has a run for each test, the
 * JUnit file a suite. False if something could not be written; each failure is one line on standard error.
 */
bool rfs_merge_reports(const struct rfs_merge *merge);

#endif
