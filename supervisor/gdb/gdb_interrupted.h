/*
 * gdb_interrupted.h - a thread that a signal handler interrupts has no registers of its own as long as the handler
 * runs: both have one task. Those of the thread are in the frame that the kernel has made on the stack.
 */
#ifndef RFS_GDB_INTERRUPTED_H
#define RFS_GDB_INTERRUPTED_H

#include <stdbool.h>

struct rfs_thread;
struct user_regs_struct;

/* Sets the general registers. False: no handler interrupts the thread, or the handler has changed the frame. */
bool rfs_gdb_interrupted_registers(const struct rfs_thread *thread, struct user_regs_struct *regs);

#endif
