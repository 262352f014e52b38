/* run_open.h - starts the policy, the detector and the target of a run. */
#ifndef RFS_RUN_OPEN_H
#define RFS_RUN_OPEN_H

#include <sched.h>
#include <stddef.h>

struct rfs_run;

/* Opens the policy, the detector and the trace. 0, or -errno and one line in why. */
int rfs_run_open(struct rfs_run *run, char *why, size_t n) __attribute__((warn_unused_result));
/*
 * Calls rfs_run_open() and starts the target. syscalls: the system calls at which the target stops; the list ends with
 * -1. 0, or -errno and one line in why.
 */
int rfs_run_begin(struct rfs_run *run, const int *syscalls, char *why, size_t n) __attribute__((warn_unused_result));
/*
 * Starts the detector, if the run has one. Call it after the target was forked, because it may start a thread.
 * cores: the cores for that thread, which avoids the core of the run if there is another one; NULL: any core.
 */
void rfs_run_open_stream(struct rfs_run *run, const cpu_set_t *cores);

#endif
