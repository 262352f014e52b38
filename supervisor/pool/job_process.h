/*
 * job_process.h - shared by the two sides of a job. job.c and slot.c run in the pool's process, job_process.c runs in
 * the job.
 */
#ifndef RFS_JOB_PROCESS_H
#define RFS_JOB_PROCESS_H

#include <sys/types.h>

#include "supervisor/pool/settings.h"

struct rfs_execution;
struct rfs_run_job;

/*
 * The code of the forked process: prepares the descriptors and the working directory, runs the setup command, makes the
 * run, writes the reply to fd, and ends. parent: the pool's process; when it ends, the job ends too.
 */
void rfs_job_process(const struct rfs_pool_settings *settings, rfs_run_fn *run, struct rfs_execution *execution,
		     unsigned slot, pid_t parent, int fd) __attribute__((noreturn));

/* NAME.out or NAME.err (suffix) in the output folder. Caller frees. */
char *rfs_job_file(const struct rfs_pool_settings *settings, const char *name, const char *suffix);
/* NAME.input in the records folder. Caller frees. */
char *rfs_job_input(const struct rfs_pool_settings *settings, const char *name);
/* The working directory of a slot if --fresh-dir is given. Caller frees. */
char *rfs_job_fresh(const struct rfs_run_job *job, unsigned slot);

#endif
