/*
 * object_calls.h - system calls that use kernel objects are accesses: in a run that predicts, the detector learns what
 * each call touches (object_touches.h). In a run with object_kinds in its spec, a thread parks before a call that is a
 * statement of the pair under test, or a predicted one.
 *
 * A call is at the last byte of the instruction that called out of watched code. No instruction begins there, so such a
 * statement is never taken for an access of the program's own.
 */
#ifndef RFS_OBJECT_CALLS_H
#define RFS_OBJECT_CALLS_H

#include <stdbool.h>

struct rfs_call_place;
struct rfs_op;
struct rfs_run;
struct rfs_run_spec;
struct rfs_thread;

/* Whether the target must stop at more calls (rfs_syscalls_followed). */
bool rfs_object_calls_followed(const struct rfs_run_spec *spec);
/* The thread is at the entry of this call. Tells the detector what it touches. */
void rfs_object_calls_note(struct rfs_run *run, struct rfs_thread *thread, long number, const unsigned long *args,
			   struct rfs_call_place *place);
/* Whether the thread must park before the call, because it is a statement of the run's spec. If so, *op is an access.
 */
bool rfs_object_calls_parks(struct rfs_run *run, const struct rfs_thread *thread, long number,
			    const unsigned long *args, struct rfs_call_place *place, struct rfs_op *op);

#endif
