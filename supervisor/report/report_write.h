/*
 * report_write.h - the forms of a report: text (report_text.c), JSON (report_json.c), SARIF (report_sarif.c), JUnit XML
 * (report_junit.c) and lines of numbers. Call rfs_report_finish() before. colour: use escape sequences.
 */
#ifndef RFS_REPORT_WRITE_H
#define RFS_REPORT_WRITE_H

#include <stdbool.h>
#include <stdio.h>

struct rfs_report;

/* Writes the findings and a summary, for people. */
void rfs_report_write_text(const struct rfs_report *report, bool colour, FILE *out);
/* Writes what is not a finding, with all details: pairs that are not real, and failures that were not reproduced. */
void rfs_report_write_unconfirmed(const struct rfs_report *report, bool colour, FILE *out);
/* False if rfs_report_write_unconfirmed() has nothing to write. */
bool rfs_report_has_unconfirmed(const struct rfs_report *report);
/* Writes what became of each report of another tool. */
void rfs_report_write_triage(const struct rfs_report *report, bool colour, FILE *out);
void rfs_report_write_json(const struct rfs_report *report, FILE *out);
/* These two files for other tools have the same contents with and without colour. */
void rfs_report_write_sarif(const struct rfs_report *report, bool colour, FILE *out);
void rfs_report_write_junit(const struct rfs_report *report, bool colour, FILE *out);
/* "key: value" lines, for --stats. */
void rfs_report_write_stats(const struct rfs_report *report, FILE *out);

#endif
