/* breakpoint-priv.h - prepares breakpoints for the tasks that pass them. */
#ifndef RFS_TRACER_BREAKPOINT_PRIV_H
#define RFS_TRACER_BREAKPOINT_PRIV_H

#include "tracer/breakpoint.h"

/* Decodes the instruction under the breakpoint and decides how it is executed. Does nothing if this was done before. */
void rfs_breakpoint_look(struct rfs_breakpoint *breakpoint);
/* The same for code that may have changed since the breakpoint was prepared: prepares it again if it has. */
void rfs_breakpoint_renew(struct rfs_breakpoint *breakpoint);
/*
 * For a space that will have copies. Most breakpoints are never reached, so only those that a copy reached are prepared
 * for the copies after it:
 *   - rfs_breakpoints_reserve() maps memory for slots near all breakpoints. `task` must be stopped. Returns 0
 *     or -ESRCH.
 *   - rfs_breakpoints_prepare() decodes what the copies so far reached, and makes the slots. The target makes no system
 *     call.
 */
int rfs_breakpoints_reserve(struct rfs_task *task) __attribute__((warn_unused_result));
void rfs_breakpoints_prepare(struct rfs_space *space);

#endif
