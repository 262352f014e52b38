/* sanitizer_report.h - what a sanitizer reported in a run that failed. */
#ifndef RFS_SANITIZER_REPORT_H
#define RFS_SANITIZER_REPORT_H

struct rfs_report_strings;

/* Adds the first lines of a sanitizer's report in this file, which is the error output of a run. None: adds nothing. */
void rfs_sanitizer_report(const char *path, struct rfs_report_strings *out);

#endif
