/* report_sarif.h - the report as SARIF. Call rfs_report_finish() before. The file is the same with and without colour.
 */
#ifndef RFS_REPORT_SARIF_H
#define RFS_REPORT_SARIF_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct rfs_report;

/* The path as a URI of SARIF: an absolute one is a file URI, and a directory ends with a slash. Caller frees. */
char *rfs_sarif_uri(const char *path, bool directory);
/* The base of locations that are relative to the working directory. */
#define RFS_SARIF_BASE "WORKING_DIRECTORY"
/* Gives the run of a report this base. uri: of a directory. */
void rfs_sarif_put_base(json_t *run, const char *uri);
void rfs_report_write_sarif(const struct rfs_report *report, bool colour, FILE *out);

#endif
