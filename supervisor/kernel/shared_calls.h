/*
 * shared_calls.h - whether system calls of two threads may affect each other, through files, descriptors, pipes,
 * sockets or what belongs to the process.
 *
 * What they touch is compared in state/operations/shared_things.h. The filter stops the target at more calls in these
 * runs.
 */
#ifndef RFS_SHARED_CALLS_H
#define RFS_SHARED_CALLS_H

#include <stdbool.h>

struct rfs_run;
struct rfs_thread;

/* The numbers of the calls at which the filter must stop the target, besides those of the table. Ends with -1. */
extern const int rfs_shared_calls[];

/* The thread is at the entry of this call. */
void rfs_shared_calls_note(struct rfs_run *run, const struct rfs_thread *thread, long number,
			   const unsigned long *args);
/* The run has ended. */
void rfs_shared_calls_end(struct rfs_run *run);

#endif
