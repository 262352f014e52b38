/*
 * debugreg.h - watchpoints, made with the processor's debug registers (Intel SDM volume 3, section 18.2). A task stops
 * with RFS_STOP_WATCH after an instruction that accessed a watched address. Accesses that the kernel makes for the task
 * are not noticed.
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
	bool reads;	  /* stop after reads too, not only after writes */
};

/* Makes a stopped task watch these addresses and no others. Returns 0; -ENOSPC if there are more than
 * RFS_DEBUG_REGISTERS; -ESRCH; or another -errno if the kernel refuses. */
int rfs_task_watchpoint(struct rfs_task *task, const struct rfs_watched *list, size_t n)
	__attribute__((warn_unused_result));
/* Call it after RFS_STOP_WATCH or RFS_STOP_STEP. Returns the index of the watched address that the task accessed since
 * the last call, or -1 if there is none. */
int rfs_task_watchpoint_hit(struct rfs_task *task);

/*
 * Whether a watchpoint stops a program on this machine. Tries it with a child, so the calling process must have no
 * other one.
 */
bool rfs_watchpoints_fire(void);

#endif
