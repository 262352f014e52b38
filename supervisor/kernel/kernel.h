/*
 * kernel.h - what a run keeps about the kernel that its target sees: signal actions, timers, ids, ports, directories,
 * clocks. The modules of this room own its parts (kernel_state.h).
 */
#ifndef RFS_KERNEL_H
#define RFS_KERNEL_H

#include <stdbool.h>

struct rfs_run;
struct rfs_thread;

void rfs_kernel_init(struct rfs_run *run);
/* After the target has ended. */
void rfs_kernel_release(struct rfs_run *run);
/* to: a run that goes on with a copy of from's program, stopped at main. */
void rfs_kernel_copy(const struct rfs_run *from, struct rfs_run *to);

/* The thread is new: it gets a state for its system calls. */
void rfs_kernel_thread_init(struct rfs_thread *thread);
void rfs_kernel_thread_release(struct rfs_thread *thread);
/* to: a copy of the thread's struct, with a task of its own. */
void rfs_kernel_thread_copy(const struct rfs_thread *from, struct rfs_thread *to);
/* It waits for its recorded return: nothing of it is in the kernel. */
bool rfs_kernel_holds_back(const struct rfs_thread *thread);

#endif
