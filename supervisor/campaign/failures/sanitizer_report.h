/* sanitizer_report.h - what a sanitizer reported in a run that failed. */
#ifndef RFS_SANITIZER_REPORT_H
#define RFS_SANITIZER_REPORT_H

struct rfs_report_strings;

/* Adds the first lines of a sanitizer's report in this file, which is the error output of a run. None: adds nothing. */
void rfs_sanitizer_report(const char *path, struct rfs_report_strings *out);
/*
 * Adds to the detail of a failure, such as "status 1", what kind of error these lines report, such as
 * "AddressSanitizer: heap-use-after-free". Numbers in it become '#'. *detail is allocated; NULL, or no lines: adds
 * nothing.
 */
void rfs_sanitizer_add_kind(const struct rfs_report_strings *lines, char **detail);

#endif
