/* verify.h - rfsup --verify N: checks that one seed always gives the same run. */
#ifndef RFS_VERIFY_H
#define RFS_VERIFY_H

#include "supervisor/base/error.h"
#include "supervisor/pool/job.h"

struct rfs_program;
struct rfs_options;

/*
 * Runs one seed options->verify times, under options->policy or random. Compares each run with the first one, operation
 * by operation. Prints that they are the same, or the first difference with both stacks and the likely cause.
 * RFS_EXIT_CLEAN: deterministic. UNCONTROLLED: not deterministic. INCOMPLETE: interrupted or timed out. INPUT: the runs
 * cannot be made.
 */
enum rfs_exit rfs_verify(const struct rfs_options *options, const struct rfs_program *program, char *const *envp,
			 int cancel_fd, rfs_run_fn *run);

#endif
