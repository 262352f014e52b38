/*
 * shared_calls.h - whether system calls of two threads may affect each other, through files, descriptors, pipes,
 * sockets or what belongs to the process.
 *
 * The order of such calls is not explored: most of them are not operations. So a proof must know whether it matters.
 * Each call is split into touches, as operations are (policy/core/dependence.h). Two threads that touch one thing are
 * in conflict, unless both only look at it, or both only append to it. What a thread does while it is alone does not
 * count. In doubt there is a conflict.
 *
 * Only runs of a policy with RFS_POLICY_NEEDS_CALLS look. The filter stops the target at more calls then.
 */
#ifndef RFS_SHARED_CALLS_H
#define RFS_SHARED_CALLS_H

#include <stdbool.h>

struct rfs_run;
struct rfs_run_spec;
struct rfs_thread;

/* The numbers of the calls at which the filter must stop the target, besides those of the table. Ends with -1. */
extern const int rfs_shared_calls[];

bool rfs_shared_calls_noted(const struct rfs_run_spec *spec);
/* The thread is at the entry of this call. Sets shares_calls of the result at the first conflict. */
void rfs_shared_calls_note(struct rfs_run *run, const struct rfs_thread *thread, long number,
			   const unsigned long *args);
/* The run has ended. */
void rfs_shared_calls_end(struct rfs_run *run);
void rfs_shared_calls_release(struct rfs_run *run);

#endif
