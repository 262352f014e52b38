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
/*
 * Tests that are red without a finding: an array of objects with the texts `name`, `outcome` and `says`, or NULL. Those
 * with the outcome RFS_GITHUB_FAILED are errors, others warnings.
 */
#define RFS_GITHUB_FAILED "FAILED"
void rfs_github_write_tests(const json_t *tests, FILE *out);
/* Writes the same findings and tests as tables in Markdown. name: what was tested. */
void rfs_github_write_summary(const json_t *sarif, const json_t *tests, const char *name, FILE *out);
/* An item of such an array. says: or NULL. */
json_t *rfs_github_test(const char *name, const char *outcome, const char *says);
/*
 * Writes the commands to standard output, and adds the summary to the file that GITHUB_STEP_SUMMARY names, if it is
 * set. sarif: the text of the report. Takes `tests`. False if that fails; each failure is one line on standard error.
 */
bool rfs_github_publish(const char *sarif, const char *name, json_t *tests);

#endif
