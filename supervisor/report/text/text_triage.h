/* text_triage.h - writes what became of the reports of other tools. */
#ifndef RFS_TEXT_TRIAGE_H
#define RFS_TEXT_TRIAGE_H

#include <stdbool.h>
#include <stdio.h>

struct rfs_report;
struct rfs_text;

/* Writes a part of the report for people. Nothing if no reports were read. */
void rfs_text_put_triage(struct rfs_text *text, const struct rfs_report *report);
/* Writes what became of each report of another tool. */
void rfs_report_write_triage(const struct rfs_report *report, bool colour, FILE *out);

#endif
