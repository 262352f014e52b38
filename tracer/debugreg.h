/*
 * debugreg.h - watchpoints by the processor's debug registers (Intel SDM volume 3, section 18.2): a task stops after
 * the instruction that touched a watched place (RFS_STOP_WATCH). Accesses that the kernel makes for the task are not
 * seen.
 */
#ifndef RFS_TRACER_DEBUGREG_H
#define RFS_TRACER_DEBUGREG_H

#include <stdbool.h>
#include <stddef.h>

#include "tracer/tracer.h"

#define RFS_DEBUG_REGISTERS 4

struct rfs_watched {
	rfs_addr address; /* a multiple of size */
	unsigned size;	  /* 1, 2, 4 or 8 */
	bool reads;	  /* reads count as well as writes */
};

/* Makes a stopped task watch these addresses and no others. 0, -ESRCH, or another -errno: the kernel refuses. */
int rfs_task_watchpoint(struct rfs_task *task, const struct rfs_watched *list, size_t n)
	__attribute__((warn_unused_result));
/* After RFS_STOP_WATCH or RFS_STOP_STEP: the index of the watched address that the task touched since the last call;
 * -1: none. */
int rfs_task_watchpoint_hit(struct rfs_task *task);

#endif
