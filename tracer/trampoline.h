/*
 * trampoline.h - trampolines: return addresses at which a task stops when it returns to them.
 */
#ifndef RFS_TRACER_TRAMPOLINE_H
#define RFS_TRACER_TRAMPOLINE_H

#include "disasm/addr.h"

struct rfs_task;

/*
 * Returns trampoline i (0 to RFS_TRAMPOLINES - 1) of the task's space. The caller writes it to a stack as a return
 * address. A task that returns there stops with RFS_STOP_BREAKPOINT and this address. Returns 0 before the first
 * RFS_STOP_EXEC, or if the page could not be mapped.
 */
#define RFS_TRAMPOLINES 16
rfs_addr rfs_space_trampoline(struct rfs_task *task, int i);

#endif
