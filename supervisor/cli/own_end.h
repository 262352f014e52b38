/* own_end.h - a test that fails without rfsup ends rfsup as it ends itself (--launcher, --gtest). */
#ifndef RFS_OWN_END_H
#define RFS_OWN_END_H

#include "supervisor/base/error.h"

struct rfs_options;
struct rfs_report_own;

/* Whether the program's own failure decides how rfsup ends: unless rfsup has a finding, or could not do its work. */
bool rfs_own_end_counts(const struct rfs_report_own *own, const struct rfs_options *options, enum rfs_exit exit);
/* Ends this process with the program's own status, or by its signal. */
void rfs_own_end(const struct rfs_report_own *own) __attribute__((noreturn));

#endif
