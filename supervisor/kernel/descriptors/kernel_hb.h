/* kernel_hb.h - happens-before edges through the kernel: data and signals between threads of the target. */
#ifndef RFS_KERNEL_HB_H
#define RFS_KERNEL_HB_H

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_syscall;
struct rfs_thread;

/*
 * rfs_kernel_hb_begin() is called when the thread enters its system call, before our duplicates of its descriptors are
 * closed. rfs_kernel_hb_end() is called at the exit.
 */
void rfs_kernel_hb_begin(struct rfs_run *run, struct rfs_thread *thread);
void rfs_kernel_hb_end(struct rfs_run *run, struct rfs_thread *thread, long result);
/* Called instead of both if the call is not made, because its result was recorded. What other threads of the target
 * sent to an epoll instance is then received too. */
void rfs_kernel_hb_replayed(struct rfs_run *run, struct rfs_thread *thread, long result);
/* Enter handler of epoll_ctl(2): sends a message to the threads that wait at the epoll instance. */
enum rfs_then rfs_sys_epoll_ctl(struct rfs_run *run, struct rfs_thread *thread);
/* Called when the thread sends a signal. to NULL: to the whole process. */
void rfs_signal_sent(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_thread *to, int signo);
/*
 * Called before the thread's signal handler runs, or when a call such as sigwait() returns the signal. What the sender
 * did before it sent the signal happens before what the thread does next.
 */
void rfs_signal_received(struct rfs_run *run, struct rfs_thread *thread, int signo);

/*
 * The thread makes this call, or (at_exit) the call has returned, in a run with several processes (family.h). Processes
 * tell each other something through files, signals and waits. All that they tell is one message. Pipes and sockets have
 * the messages of the functions above.
 */
void rfs_kernel_hb_family(struct rfs_run *run, struct rfs_thread *thread, long number, const struct rfs_syscall *row,
			  const unsigned long *args, bool at_exit);
/* The same for what has no call: the end of a process, and the arrival of a signal. */
void rfs_kernel_hb_tells(struct rfs_run *run, struct rfs_thread *thread);
void rfs_kernel_hb_hears(struct rfs_run *run, struct rfs_thread *thread);

#endif
