/*
 * generated_code.h - accesses of code that the target generates at run time (tracer/closed_code.h).
 *
 * Each instruction of such code is a stop. Runs with a detector and --points memory watch all of it, from the second
 * thread on. Other runs stop only at pages with a statement that the spec names. A run that has stopped too often
 * watches no generated code from then on.
 */
#ifndef RFS_GENERATED_CODE_H
#define RFS_GENERATED_CODE_H

#include <stdbool.h>

#include "disasm/addr.h"
#include "supervisor/state/core/thread.h"

struct rfs_breakpoint;
struct rfs_run;
struct rfs_task;

/* Call when the run has one more thread. */
void rfs_generated_new_thread(struct rfs_run *run);
/*
 * Call at stops of the target's threads: closes the code that exists, once, if the run watches it and the task can make
 * system calls at this stop.
 */
void rfs_generated_close(struct rfs_run *run, struct rfs_task *task);
/*
 * The thread is about to make this system call. Whether rfs_generated_called() must be called at its exit, because it
 * may change generated code.
 */
bool rfs_generated_calls(struct rfs_run *run, struct rfs_thread *thread, long number, const unsigned long *args);
void rfs_generated_called(struct rfs_run *run, struct rfs_thread *thread, long number, const unsigned long *args,
			  long result);
/* The thread is about to execute an instruction of generated code. */
enum rfs_then rfs_generated_hit(struct rfs_run *run, struct rfs_thread *thread, struct rfs_breakpoint *breakpoint);
/* Whether accesses of generated code were not told to the detector, although the run has two threads. */
bool rfs_generated_is_missing(const struct rfs_run *run);
/* The target has executed another program. */
void rfs_generated_release(struct rfs_run *run);

#endif
