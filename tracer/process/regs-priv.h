/* regs-priv.h - the registers of a task: the cache that rfs_task_regs() fills, and how changes are written back. */
#ifndef RFS_TRACER_REGS_PRIV_H
#define RFS_TRACER_REGS_PRIV_H

#include "disasm/addr.h"

struct rfs_task;

/* Writes changed registers to the task. Returns 0 or -ESRCH. */
int rfs_task_flush(struct rfs_task *task) __attribute__((warn_unused_result));
/* Changes only rip. This is cheaper to write back than a change through rfs_task_regs_mut(). */
void rfs_task_set_rip(struct rfs_task *task, rfs_addr rip);
/* Marks the registers in the cache as out of date. */
void rfs_task_invalidate(struct rfs_task *task);

#endif
