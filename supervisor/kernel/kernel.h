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
/* to: a run that continues with a copy of from's program, which is stopped at main. */
void rfs_kernel_copy(const struct rfs_run *from, struct rfs_run *to);

/* Gives a new thread the state of its system calls. */
void rfs_kernel_thread_init(struct rfs_thread *thread);
/* Frees that state. */
void rfs_kernel_thread_release(struct rfs_thread *thread);
/* to: a copy of the thread's struct, with its own task. */
void rfs_kernel_thread_copy(const struct rfs_thread *from, struct rfs_thread *to);
/* Whether the thread waits for its recorded return, and is not really in the kernel. */
bool rfs_kernel_holds_back(const struct rfs_thread *thread);

#endif
