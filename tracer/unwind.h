/*
 * unwind.h - the call stack of a stopped task, from .eh_frame (libunwind).
 */
#ifndef RFS_UNWIND_H
#define RFS_UNWIND_H

#include <stddef.h>

#include "disasm/addr.h"

struct rfs_task;

/*
 * Writes the instruction pointer and then the return addresses, innermost first. Returns how many, at most max; 1 if
 * nothing more is known.
 */
size_t rfs_task_stack(struct rfs_task *task, rfs_addr *out, size_t max);
/* The same for a task that is at one of our addresses, but in a frame of the program's code: unwinds as if it were at
 * address `at`. */
size_t rfs_task_stack_at(struct rfs_task *task, rfs_addr at, rfs_addr *out, size_t max);

#endif
