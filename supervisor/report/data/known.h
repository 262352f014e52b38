/*
 * known.h - findings that an earlier report has. They are counted but do not make the exit status 1.
 *
 * Findings are compared by fingerprint (report_identity.h). If a finding is known, all findings of its group are known
 * too: which statements of one cause are found depends on schedules.
 */
#ifndef RFS_REPORT_KNOWN_H
#define RFS_REPORT_KNOWN_H

#include <stddef.h>

struct rfs_report;

struct rfs_known {
	char **fingerprints;
	size_t n;
};

/*
 * Reads the findings of a JSON report. name: if the report has several tests, failures count only if they are of the
 * test of this name; NULL: all count. 0, or -errno and a line in why. Free with rfs_known_release().
 */
int rfs_known_read(const char *path, const char *name, struct rfs_known *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_known_release(struct rfs_known *known);

/* Marks the known findings of a finished report. path: what reports call the earlier report. */
void rfs_known_mark(const struct rfs_known *known, const char *path, struct rfs_report *report);

#endif
