/* run_life.h - the parts of rfs_run(), from the spec to the result. */
#ifndef RFS_RUN_LIFE_H
#define RFS_RUN_LIFE_H

#include <sched.h>
#include <stddef.h>

struct rfs_run;
struct rfs_run_spec;
struct rfs_run_result;

/*
 * Prepares a run. The caller owns the memory of all three structs, and calls rfs_run_release() even if a later step
 * fails.
 */
void rfs_run_init(struct rfs_run *run, const struct rfs_run_spec *spec, struct rfs_run_result *out);
/* Opens the policy, the detector and the trace. 0, or -errno and one line in why. */
int rfs_run_open(struct rfs_run *run, char *why, size_t n) __attribute__((warn_unused_result));
/*
 * Calls rfs_run_open() and starts the target. syscalls: the system calls at which the target stops; the list ends with
 * -1. 0, or -errno and one line in why.
 */
int rfs_run_begin(struct rfs_run *run, const int *syscalls, char *why, size_t n) __attribute__((warn_unused_result));
/*
 * Starts the detector, if the run has one. The target must exist, because this may start a thread. cores: where that
 * thread may run, if there are others than that of the run; NULL: anywhere.
 */
void rfs_run_open_stream(struct rfs_run *run, const cpu_set_t *cores);
/* Completes run->result after the loop has ended. */
void rfs_run_collect(struct rfs_run *run);
/* Ends the target and frees everything that the run owns. */
void rfs_run_release(struct rfs_run *run);

#endif
