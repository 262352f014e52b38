/* breakpoint-priv.h - how the instructions under breakpoints are executed. */
#ifndef RFS_TRACER_BREAKPOINT_PRIV_H
#define RFS_TRACER_BREAKPOINT_PRIV_H

#include "tracer/breakpoint.h"

/* Decodes what stands under it, where that was not done yet. */
void rfs_breakpoint_look(struct rfs_breakpoint *breakpoint);
/* Does now what the first pass of each would do, through a stopped task, so that copies of the space need not. 0,
 * -ESRCH. */
int rfs_breakpoints_ready(struct rfs_task *task) __attribute__((warn_unused_result));

#endif
