/* kernel_hb.h - happens-before edges through the kernel: data and signals between threads of the target. */
#ifndef RFS_KERNEL_HB_H
#define RFS_KERNEL_HB_H

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;

/* The thread goes into its system call, while our duplicates are still open; and it comes out. */
void rfs_kernel_hb_begin(struct rfs_run *run, struct rfs_thread *thread);
void rfs_kernel_hb_end(struct rfs_run *run, struct rfs_thread *thread, long result);
/* At the entry of epoll_ctl(2): sends to the threads that wait at the epoll instance. */
enum rfs_then rfs_sys_epoll_ctl(struct rfs_run *run, struct rfs_thread *thread);
/* The thread sends a signal. to NULL: to the process. */
void rfs_signal_sent(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_thread *to, int signo);
/* The signal is about to be handled, or a call that waited for it took it. What its sender did happened before. */
void rfs_signal_received(struct rfs_run *run, struct rfs_thread *thread, int signo);

#endif
