/* pthread_thread.h - creating, joining and cancelling threads; handlers for the table in pthread_calls.c. */
#ifndef RFS_PTHREAD_THREAD_H
#define RFS_PTHREAD_THREAD_H

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_call;

/*
 * Handlers of a thread at the entry of a function. call->param: which variant of the function (table in
 * pthread_calls.c).
 */
enum rfs_then rfs_enter_create(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_join(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_detach(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_cancel(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_thread_unwind(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_cancel_state(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);

#endif
