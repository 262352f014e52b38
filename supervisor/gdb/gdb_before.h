/*
 * gdb_before.h - where the thread may have been right before it came to an address. Code cannot be read backwards, so
 * this finds instructions that may lead there. Whether one of them has, only an execution tells.
 */
#ifndef RFS_GDB_BEFORE_H
#define RFS_GDB_BEFORE_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_thread;

/*
 * Finds instructions that lead to `address`, at most `most`. Each is at the instruction that leads there, or a few
 * instructions before it in the same straight sequence, so that a stub has room (access/stubs.h). caller: as of
 * rfs_gdb_caller(). Returns how many. There may be ways that are not found, such as a return from a function that is
 * called through a pointer.
 */
size_t rfs_gdb_before(struct rfs_run *run, rfs_addr address, rfs_addr caller, rfs_addr *out, size_t most);
/* Whether the next instruction of the thread leads to `address`. False if that is not certain. */
bool rfs_gdb_leads_to(struct rfs_run *run, const struct rfs_thread *thread, rfs_addr address);

#endif
