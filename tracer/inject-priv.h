/* inject-priv.h - system calls on behalf of the target, beside rfs_task_inject(). */
#ifndef RFS_TRACER_INJECT_PRIV_H
#define RFS_TRACER_INJECT_PRIV_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"

struct rfs_task;

/* Maps memory for code at exactly this address. False where it is taken, or may not be mapped. */
bool rfs_space_map_code(struct rfs_task *task, rfs_addr at, size_t size);

#endif
