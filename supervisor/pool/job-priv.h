/*
 * job-priv.h - the two sides of a job: job.c starts and collects them, job_process.c is what runs in one.
 */
#ifndef RFS_JOB_PRIV_H
#define RFS_JOB_PRIV_H

#include <sys/types.h>

#include "supervisor/pool/job.h"

/*
 * The forked process: readies descriptors, working directory and setup command, runs, writes the reply to fd, ends.
 * parent: the process that it must not outlive.
 */
void rfs_job_process(const struct rfs_pool_settings *settings, rfs_run_fn *run, struct rfs_execution *execution,
		     unsigned slot, pid_t parent, int fd) __attribute__((noreturn));

/* NAME.out or NAME.err (suffix) in the output folder. Caller frees. */
char *rfs_job_file(const struct rfs_pool_settings *settings, const char *name, const char *suffix);
/* The working directory of a slot where there is a --fresh-dir. Caller frees. */
char *rfs_job_fresh(const struct rfs_run_spec *spec, unsigned slot);

#endif
