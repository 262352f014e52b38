#ifndef RFS_PTHREAD_COND_H
#define RFS_PTHREAD_COND_H

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_call;

enum rfs_then rfs_enter_cond_wait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_cond_signal(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_cond_trampoline(struct rfs_run *run, struct rfs_thread *thread, int index);

#endif
