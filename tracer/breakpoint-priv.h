/* breakpoint-priv.h - how the instructions under breakpoints are executed. */
#ifndef RFS_TRACER_BREAKPOINT_PRIV_H
#define RFS_TRACER_BREAKPOINT_PRIV_H

#include "tracer/breakpoint.h"

/* Decodes the instruction under the breakpoint, unless that was done before. */
void rfs_breakpoint_look(struct rfs_breakpoint *breakpoint);
/* Does now, through a stopped task, what the first pass of each breakpoint would do, so that copies of the space need
 * not do it. 0, -ESRCH. */
int rfs_breakpoints_ready(struct rfs_task *task) __attribute__((warn_unused_result));

#endif
