/* simplify.h - rfsup --simplify FILE: finds a schedule with the same failure and fewer switches. */
#ifndef RFS_SIMPLIFY_H
#define RFS_SIMPLIFY_H

#include "supervisor/base/error.h"
#include "supervisor/pool/job.h"

/*
 * Searches for a schedule with the same failure (or race) and fewer choices. Prints it, and writes its record next to
 * the given one, as NAME-simple.json. timeout: the limit of each run in seconds; 0: the timeout in the record.
 *
 * RFS_EXIT_FINDING: done. UNCONTROLLED: the recorded failure did not show again. INCOMPLETE: interrupted; nothing was
 * written. INPUT: there is nothing to simplify, or a run or file failed.
 */
enum rfs_exit rfs_simplify(const char *path, double timeout, bool trusted, int cancel_fd, rfs_run_fn *run);

#endif
