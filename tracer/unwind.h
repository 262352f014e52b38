/*
 * unwind.h - the call stack of a stopped task, from .eh_frame (libunwind).
 */
#ifndef RFS_UNWIND_H
#define RFS_UNWIND_H

#include <stdbool.h>
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

/* One function call on the stack. */
struct rfs_stack_frame {
	rfs_addr code; /* an instruction of the function: the one the task is at, or the byte before a return address */
	rfs_addr cfa;  /* the canonical frame address: the stack pointer before the call */
};
/* The frame of a stopped task that contains the address in its stack; `at` as above. False if there is none. */
bool rfs_task_frame_at(struct rfs_task *task, rfs_addr at, rfs_addr address, struct rfs_stack_frame *out);

#endif
