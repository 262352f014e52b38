/* pthread_lock.h - mutexes, readers-writer locks and spin locks; handlers for the table in pthread_calls.c. */
#ifndef RFS_PTHREAD_LOCK_H
#define RFS_PTHREAD_LOCK_H

#include <stdbool.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_call;

/* The thread is at the entry of a function of this kind; call->param is the type of the lock. */
enum rfs_then rfs_enter_lock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_trylock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_timedlock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_unlock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_destroy(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
/* The thread has locked a free mutex, or unlocked its own, without a stop. site: of the call. */
void rfs_lock_executed(struct rfs_run *run, struct rfs_thread *thread, bool locks, rfs_addr mutex, rfs_site site);

#endif
