/* inject-priv.h - system calls that the tracer makes in the target. tracer.h has rfs_task_inject(), which makes any
 * call. */
#ifndef RFS_TRACER_INJECT_PRIV_H
#define RFS_TRACER_INJECT_PRIV_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"

struct rfs_task;

/* Offset in the gate page (trampoline.c): right after the int3 that follows the system call instruction. */
#define RFS_GATE_END 3

/* Maps memory for code at exactly this address. False if the address is in use or the kernel refuses. */
bool rfs_space_map_code(struct rfs_task *task, rfs_addr at, size_t size);

#endif
