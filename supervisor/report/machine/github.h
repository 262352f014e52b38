/* github.h - findings for a workflow of GitHub: commands that it reads from standard output, and its job summary. */
#ifndef RFS_REPORT_GITHUB_H
#define RFS_REPORT_GITHUB_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/*
 * Writes "::error file=,line=::message" for each finding of a SARIF report that counts; what is suppressed or known
 * does not (GitHub's documentation, "Workflow commands").
 */
void rfs_github_write(const json_t *sarif, FILE *out);
/* Writes the same findings as a table in Markdown. name: what was tested. */
void rfs_github_write_summary(const json_t *sarif, const char *name, FILE *out);
/*
 * Writes the commands to standard output, and adds the summary to the file that GITHUB_STEP_SUMMARY names, if it is
 * set. sarif: the text of the report. False if that fails; each failure is one line on standard error.
 */
bool rfs_github_publish(const char *sarif, const char *name);

#endif
