/* simplify.h - rfsup --simplify RECORD: the same failure with fewer switches. */
#ifndef RFS_SIMPLIFY_H
#define RFS_SIMPLIFY_H

#include "supervisor/base/error.h"
#include "supervisor/pool/job.h"

/*
 * Looks for a schedule with the same failure (or race) and fewer choices, writes a record of it beside the first
 * (NAME-simple.json) and tells it on standard output. RFS_EXIT_FINDING: done; UNCONTROLLED: the record does not show
 * its failure again; INCOMPLETE: interrupted, what was found by then is told; INPUT: it cannot be simplified.
 * timeout: of each run in seconds, 0: the record's.
 */
enum rfs_exit rfs_simplify(const char *path, double timeout, int cancel_fd, rfs_run_fn *run);

#endif
