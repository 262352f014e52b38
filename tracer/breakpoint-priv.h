/* breakpoint-priv.h - prepares breakpoints for the tasks that pass them. */
#ifndef RFS_TRACER_BREAKPOINT_PRIV_H
#define RFS_TRACER_BREAKPOINT_PRIV_H

#include "tracer/breakpoint.h"

/* Decodes the instruction under the breakpoint and decides how it is executed. Does nothing if this was done before. */
void rfs_breakpoint_look(struct rfs_breakpoint *breakpoint);
/* Prepares now what is otherwise prepared when a task first passes a breakpoint: the decoded instruction and the slot.
 * Copies of the space can then use it. `task` must be stopped. Returns 0 or -ESRCH. */
int rfs_breakpoints_ready(struct rfs_task *task) __attribute__((warn_unused_result));

#endif
