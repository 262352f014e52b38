#ifndef RFS_PTHREAD_COND_H
#define RFS_PTHREAD_COND_H

struct rfs_run;
struct rfs_thread;
struct rfs_call;

void rfs_enter_cond_wait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
void rfs_enter_cond_signal(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
void rfs_cond_trampoline(struct rfs_run *run, struct rfs_thread *thread, int index);

#endif
