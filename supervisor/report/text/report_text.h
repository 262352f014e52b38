/* report_text.h - the report for people. Call rfs_report_finish() before. colour: use escape sequences. */
#ifndef RFS_REPORT_TEXT_H
#define RFS_REPORT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

struct rfs_report;

/* Writes the findings and a summary. */
void rfs_report_write_text(const struct rfs_report *report, bool colour, FILE *out);
/* Writes what is not a finding, with all details: pairs that are not real, and failures that were not reproduced. */
void rfs_report_write_unconfirmed(const struct rfs_report *report, bool colour, FILE *out);
/* False if rfs_report_write_unconfirmed() has nothing to write. */
bool rfs_report_has_unconfirmed(const struct rfs_report *report);
/* "key: value" lines, for --stats. */
void rfs_report_write_stats(const struct rfs_report *report, FILE *out);

#endif
