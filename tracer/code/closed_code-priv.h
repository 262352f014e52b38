/* closed_code-priv.h - the faults of closed pages (closed_code.h). */
#ifndef RFS_TRACER_CLOSED_CODE_PRIV_H
#define RFS_TRACER_CLOSED_CODE_PRIV_H

#include <signal.h>
#include <stdbool.h>

#include "disasm/addr.h"
#include "tracer/closed_code.h"

/*
 * Whether the signal means that the task is about to execute an instruction of a page that is, or was, closed. If so,
 * sets *out to its breakpoint, which knows the instruction that memory has now. *out is borrowed, and NULL if memory is
 * exhausted.
 */
bool rfs_code_faulted(struct rfs_task *task, const siginfo_t *info, struct rfs_breakpoint **out);
/*
 * The task is stopped at the address of a breakpoint of rfs_code_faulted(). Makes the pages of its instruction
 * executable for the process of the task. must: also if they are closed, for an instruction that can only be executed
 * in place. Returns whether the task can execute the instruction in place now.
 */
bool rfs_code_let(struct rfs_task *task, rfs_addr address, bool must);
/* Gives `child`, whose memory is a copy of that of `space`, the pages that it must open. Returns 0 or -ENOMEM. */
int rfs_code_fork(const struct rfs_space *space, struct rfs_space *child) __attribute__((warn_unused_result));
void rfs_code_release(struct rfs_space *space);

#endif
