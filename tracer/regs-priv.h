/* regs-priv.h - registers: the cache that rfs_task_regs() fills, and what is written back. */
#ifndef RFS_TRACER_REGS_PRIV_H
#define RFS_TRACER_REGS_PRIV_H

#include "disasm/addr.h"

struct rfs_task;

/* Writes changed registers. 0, -ESRCH. */
int rfs_task_flush(struct rfs_task *task) __attribute__((warn_unused_result));
/* Sets only rip, which is cheaper to write back than rfs_task_regs_mut(). */
void rfs_task_set_rip(struct rfs_task *task, rfs_addr rip);
/* Marks the registers in the cache as out of date. */
void rfs_task_invalidate(struct rfs_task *task);

#endif
