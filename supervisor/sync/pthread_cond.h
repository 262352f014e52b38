/* pthread_cond.h - condition variables, carried out by rfsup; handlers for the table in pthread_calls.c. */
#ifndef RFS_PTHREAD_COND_H
#define RFS_PTHREAD_COND_H

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_call;

/* The thread is at the entry of a wait, or of a signal or broadcast (call->param says which form). */
enum rfs_then rfs_enter_cond_wait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_cond_signal(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
/* The thread returned to trampoline `index` during a wait: it released the mutex (0) or has taken it again (1). */
enum rfs_then rfs_cond_trampoline(struct rfs_run *run, struct rfs_thread *thread, int index);

#endif
