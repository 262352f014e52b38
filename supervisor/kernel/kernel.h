/*
 * kernel.h - what a run stores about the kernel that its target sees: signal actions, timers, ids, ports, directories
 * and clocks. The modules of this folder own the parts (kernel_state.h).
 */
#ifndef RFS_KERNEL_H
#define RFS_KERNEL_H

#include <stdbool.h>

struct rfs_run;
struct rfs_thread;

/* Sets up run->kernel. */
void rfs_kernel_init(struct rfs_run *run);
/* Frees run->kernel, after the target has ended. */
void rfs_kernel_release(struct rfs_run *run);
/* For a fork server: `to` is the run of a copy, `from` the run of the original, which is stopped at main. */
void rfs_kernel_copy(const struct rfs_run *from, struct rfs_run *to);

/* Gives a new thread the state of its system calls. */
void rfs_kernel_thread_init(struct rfs_thread *thread);
/* Frees the state of the thread's system calls. */
void rfs_kernel_thread_release(struct rfs_thread *thread);
/* For a fork server: `to` is the same thread in a copy. The thread gets new state, with the affinity of `from`. */
void rfs_kernel_thread_copy(const struct rfs_thread *from, struct rfs_thread *to);
/*
 * Whether the thread waits for its recorded return in a replay. Its state is then RFS_STATE_KERNEL, although it is not
 * in the kernel.
 */
bool rfs_kernel_holds_back(const struct rfs_thread *thread);

#endif
