/* report_json.h - the report as JSON. Call rfs_report_finish() before. */
#ifndef RFS_REPORT_JSON_H
#define RFS_REPORT_JSON_H

#include <stdio.h>

struct rfs_report;

void rfs_report_write_json(const struct rfs_report *report, FILE *out);

#endif
