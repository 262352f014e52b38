/*
 * gate.h - trampolines: return addresses that stop the task that returns to them.
 */
#ifndef RFS_TRACER_GATE_H
#define RFS_TRACER_GATE_H

#include "disasm/addr.h"

struct rfs_task;

/*
 * A return address to put on a stack, in memory that we mapped. A task that gets there stops with RFS_STOP_BREAKPOINT
 * and this address. i: 0 to RFS_TRAMPOLINES - 1. 0: not mapped yet (before the first RFS_STOP_EXEC), or no memory.
 */
#define RFS_TRAMPOLINES 16
rfs_addr rfs_space_trampoline(struct rfs_task *task, int i);

#endif
