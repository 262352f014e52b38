/*
 * gate.h - trampolines: return addresses that stop whoever gets there.
 */
#ifndef RFS_TRACER_GATE_H
#define RFS_TRACER_GATE_H

#include "disasm/addr.h"

struct rfs_task;

/*
 * An address that stops whoever gets there (RFS_STOP_BREAKPOINT with just this address), in memory that we mapped: a
 * return address to put on a stack. n of them stand at fixed distance: index 0 <= i < RFS_TRAMPOLINES. 0: not mapped
 * yet (before the first RFS_STOP_EXEC) or no memory.
 */
#define RFS_TRAMPOLINES 16
rfs_addr rfs_space_trampoline(struct rfs_task *task, int i);

#endif
