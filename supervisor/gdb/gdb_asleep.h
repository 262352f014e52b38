/*
 * gdb_asleep.h - a thread in a condition wait that rfsup carries out is at a trampoline, and its stack was used for the
 * call that released the mutex. gdb sees it at the first instruction of the function that it has called.
 */
#ifndef RFS_GDB_ASLEEP_H
#define RFS_GDB_ASLEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_thread;
struct user_regs_struct;

/* Sets the registers that are known, if the thread is in such a wait. */
void rfs_gdb_asleep_registers(const struct rfs_thread *thread, struct user_regs_struct *regs);
/* Whether the value of this register at the call is not known, because the release of the mutex has changed it. */
bool rfs_gdb_asleep_lost(const struct rfs_thread *thread, const char *name);
/* Puts the return addresses of these calls into n bytes that were read at the address. */
void rfs_gdb_asleep_memory(const struct rfs_run *run, rfs_addr address, unsigned char *bytes, size_t n);

#endif
