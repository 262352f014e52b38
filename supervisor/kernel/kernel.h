/*
 * kernel.h - what a run keeps about the kernel that its target sees: signal actions, timers, ids, ports, directories,
 * clocks. The modules of this room own its parts (kernel_state.h).
 */
#ifndef RFS_KERNEL_H
#define RFS_KERNEL_H

struct rfs_run;

void rfs_kernel_init(struct rfs_run *run);
/* After the target has ended. */
void rfs_kernel_release(struct rfs_run *run);
/* to: a run that goes on with a copy of from's program, stopped at main. */
void rfs_kernel_copy(const struct rfs_run *from, struct rfs_run *to);

#endif
