/* pthread_cond.h - condition variables, carried out by rfsup; handlers for the table in pthread_calls.c. */
#ifndef RFS_PTHREAD_COND_H
#define RFS_PTHREAD_COND_H

#include <stdbool.h>

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_call;

/* Where the target has the functions of the C library that a condition wait calls. 0: the function was not found. */
struct rfs_pthread_functions {
	rfs_addr lock, unlock, testcancel;
};

/*
 * Handlers of a thread at the entry of a wait, or of a signal or broadcast. call->param: which variant of the
 * function.
 */
enum rfs_then rfs_enter_cond_wait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_cond_signal(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
/*
 * Call this when the thread has returned to a trampoline during a wait. index: 0 after it released the mutex, 1 after
 * it took the mutex again.
 */
enum rfs_then rfs_cond_trampoline(struct rfs_run *run, struct rfs_thread *thread, int index);
/*
 * Call this when the thread has signalled a condition variable at which nobody waits, without a stop. Does what the
 * stop would have done. kind: the operation. site: where the thread called the function.
 */
void rfs_cond_executed(struct rfs_run *run, struct rfs_thread *thread, enum rfs_op_kind kind, rfs_addr cond,
		       rfs_site site);
/* Whether a signal could wake a thread. A thread that was signalled waits only for the mutex. */
bool rfs_cond_is_waited_for(const struct rfs_run *run);

#endif
