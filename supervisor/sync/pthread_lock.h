/* pthread_lock.h - mutexes, readers-writer locks and spin locks; handlers for the table in pthread_calls.c. */
#ifndef RFS_PTHREAD_LOCK_H
#define RFS_PTHREAD_LOCK_H

#include <stdbool.h>

#include "disasm/addr.h"
#include "policy/operations.h"
#include "supervisor/model/lock.h"
#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_call;

/*
 * Handlers of a thread at the entry of a function. call->param: the type of the lock; for init and destroy, the type of
 * the object (enum rfs_object_type).
 */
enum rfs_then rfs_enter_lock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_trylock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_timedlock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_unlock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_destroy(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
/* The thread gives up the lock; or the thread that holds it does, because some programs unlock from another thread. */
void rfs_lock_give_up(struct rfs_run *run, struct rfs_thread *thread, rfs_addr lock);
/*
 * Call this when the thread has acquired or released a lock without a stop. Does what the stop would have done. kind:
 * the operation. site: where the thread called the function.
 */
void rfs_lock_executed(struct rfs_run *run, struct rfs_thread *thread, enum rfs_op_kind kind, enum rfs_lock_type type,
		       rfs_addr lock, rfs_site site);

#endif
