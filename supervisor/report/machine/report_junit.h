/* report_junit.h - the report as JUnit XML. Call rfs_report_finish() before. The file is the same with and without
 * colour. */
#ifndef RFS_REPORT_JUNIT_H
#define RFS_REPORT_JUNIT_H

#include <stdbool.h>
#include <stdio.h>

struct rfs_report;

void rfs_report_write_junit(const struct rfs_report *report, bool colour, FILE *out);

#endif
