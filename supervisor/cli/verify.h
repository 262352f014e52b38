/* verify.h - rfsup --verify N: is one seed one run? */
#ifndef RFS_VERIFY_H
#define RFS_VERIFY_H

#include "supervisor/base/error.h"
#include "supervisor/pool/job.h"

struct rfs_program;
struct rfs_options;

/*
 * Runs one seed options->verify times, under options->policy or random, and compares each with the first, operation by
 * operation. Says on standard output that they are the same, or what differed first, with both stacks and the likely
 * cause. RFS_EXIT_CLEAN: deterministic; UNCONTROLLED: not; INCOMPLETE: interrupted or timed out; INPUT: it cannot be
 * run.
 */
enum rfs_exit rfs_verify(const struct rfs_options *options, const struct rfs_program *program, char *const *envp,
			 int cancel_fd, rfs_run_fn *run);

#endif
