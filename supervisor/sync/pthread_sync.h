/* pthread_sync.h - semaphores, barriers, once and C++ guards; handlers for the table in pthread_calls.c. */
#ifndef RFS_PTHREAD_SYNC_H
#define RFS_PTHREAD_SYNC_H

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_call;

/*
 * Handlers of a thread at the entry of a function. call->param: which variant of the function (table in
 * pthread_calls.c).
 */
enum rfs_then rfs_enter_sem_wait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_sem_post(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_sem_init(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_barrier(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_once(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_guard(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);

#endif
