/* signal_calls.h - signals that threads of the target send, accept and wait for. */
#ifndef RFS_SIGNAL_CALLS_H
#define RFS_SIGNAL_CALLS_H

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;

/* A signal is pending for the parked thread, which continues with its handler. Its operation is not executed. */
enum rfs_then rfs_go_interrupt(struct rfs_run *run, struct rfs_thread *thread);

/* kill, rt_sigqueueinfo: to the process */
enum rfs_then rfs_sys_kill(struct rfs_run *run, struct rfs_thread *thread);
/* tkill, tgkill, rt_tgsigqueueinfo: to one thread */
enum rfs_then rfs_sys_tkill(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_sigaction(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_signalfd(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_sigtimedwait(struct rfs_run *run, struct rfs_thread *thread);
void rfs_sigtimedwait_returned(struct rfs_run *run, struct rfs_thread *thread, long result);

#endif
