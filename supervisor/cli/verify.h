/* verify.h - rfsup --verify N: checks that the same seed always gives the same run. */
#ifndef RFS_VERIFY_H
#define RFS_VERIFY_H

#include "supervisor/base/error.h"
#include "supervisor/pool/job.h"

struct rfs_program;
struct rfs_options;

/*
 * Makes options->verify runs with the same seed, under the policy of --policy or random. Compares each run with the
 * first one, operation by operation. Prints that all runs are the same. Otherwise prints the first difference, with
 * both stacks and the likely cause.
 *
 * RFS_EXIT_CLEAN: all runs are the same. UNCONTROLLED: runs differ, or a run could not be controlled. INCOMPLETE:
 * interrupted or timed out. INPUT: a run could not be started.
 */
enum rfs_exit rfs_verify(const struct rfs_options *options, const struct rfs_program *program, char *const *envp,
			 int cancel_fd, rfs_run_fn *run);

#endif
