#ifndef RFS_KERNEL_HB_H
#define RFS_KERNEL_HB_H

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;

/* The thread goes into the system call that it stands in (its descriptors of ours are still open), and comes out. */
void rfs_kernel_hb_begin(struct rfs_run *run, struct rfs_thread *thread);
void rfs_kernel_hb_end(struct rfs_run *run, struct rfs_thread *thread, long result);
/* At the entry of epoll_ctl(2): what it registers is told to whoever waits there. */
enum rfs_then rfs_sys_epoll_ctl(struct rfs_run *run, struct rfs_thread *thread);
/* to NULL: to the process. */
void rfs_signal_sent(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_thread *to, int signo);
/* The signal is about to be handled, or was taken by a wait for it: what its sender did happened before. */
void rfs_signal_received(struct rfs_run *run, struct rfs_thread *thread, int signo);

#endif
