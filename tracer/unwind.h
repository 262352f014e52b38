/*
 * unwind.h - the call stack of a stopped task, from .eh_frame (libunwind).
 */
#ifndef RFS_UNWIND_H
#define RFS_UNWIND_H

#include <stddef.h>

#include "disasm/addr.h"

struct rfs_task;

/*
 * Writes the instruction pointer and then the return addresses to out, innermost first. Returns how many addresses, at
 * most max. The result is 1 if no return address can be found.
 */
size_t rfs_task_stack(struct rfs_task *task, rfs_addr *out, size_t max);
/* The same, but unwinds as if the task were at address `at`. This is for a task whose instruction pointer is one of our
 * own addresses, such as a trampoline, while its frame belongs to the program. */
size_t rfs_task_stack_at(struct rfs_task *task, rfs_addr at, rfs_addr *out, size_t max);

#endif
