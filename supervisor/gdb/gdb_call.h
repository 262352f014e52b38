/* gdb_call.h - what calls and system calls change for a debugger that steps a thread. */
#ifndef RFS_GDB_CALL_H
#define RFS_GDB_CALL_H

#include <stdbool.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_thread;

/* The processor sets it in the flags while it steps. */
#define RFS_GDB_TRAP_FLAG 0x100ul
/* True if the thread is stopped at a system call that has not been made yet. A step is then not complete. */
bool rfs_gdb_in_call(const struct rfs_thread *thread);
/* True if the instruction before the thread's address is a system call. */
bool rfs_gdb_after_call(struct rfs_run *run, const struct rfs_thread *thread);
/*
 * A system call keeps the flags in r11, and in a step they have the trap flag. Without it, the registers are the same
 * whether the call was stepped or not.
 */
void rfs_gdb_forget_trap_flag(struct rfs_run *run, struct rfs_thread *thread);
/*
 * If the thread is at the first instruction of a function, the address of the instruction that has called it; otherwise
 * 0, also for calls through a pointer.
 */
rfs_addr rfs_gdb_caller(struct rfs_run *run, const struct rfs_thread *thread);
/* True if the thread's system call ends the thread or the program. */
bool rfs_gdb_calls_exit(const struct rfs_thread *thread);

#endif
