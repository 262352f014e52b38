/* simplify.h - rfsup --simplify RECORD: finds a schedule with the same failure and fewer switches. */
#ifndef RFS_SIMPLIFY_H
#define RFS_SIMPLIFY_H

#include "supervisor/base/error.h"
#include "supervisor/pool/job.h"

/*
 * Searches for a schedule with the same failure (or race) and fewer choices. Writes its record to the folder of the
 * first one (NAME-simple.json), and prints it on standard output. RFS_EXIT_FINDING: done. UNCONTROLLED: the record does
 * not show its failure again. INCOMPLETE: interrupted; what was found so far is printed. INPUT: the record cannot be
 * simplified. timeout: of each run in seconds, 0: the record's.
 */
enum rfs_exit rfs_simplify(const char *path, double timeout, int cancel_fd, rfs_run_fn *run);

#endif
