/* pthread_sync.h - semaphores, barriers, once and C++ guards; handlers for the table in pthread_calls.c. */
#ifndef RFS_PTHREAD_SYNC_H
#define RFS_PTHREAD_SYNC_H

#include "disasm/addr.h"
#include "policy/operations.h"
#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_call;

/*
 * Handlers of a thread at the entry of a function. call->param: which variant of the function (table in
 * pthread_calls.c).
 */
enum rfs_then rfs_enter_sem_wait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_sem_post(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_sem_value(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_barrier(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_once(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_guard(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
/*
 * Call this when the thread has posted a semaphore, or taken a token that was there, without a stop. Does what the stop
 * would have done. kind: the operation. site: where the thread called the function.
 */
void rfs_semaphore_executed(struct rfs_run *run, struct rfs_thread *thread, enum rfs_op_kind kind, rfs_addr semaphore,
			    rfs_site site);
/* The same for a call of pthread_once whose routine has run before. */
void rfs_once_executed(struct rfs_run *run, struct rfs_thread *thread, rfs_addr once, rfs_site site);

#endif
