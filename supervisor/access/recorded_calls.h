#ifndef RFS_RECORDED_CALLS_H
#define RFS_RECORDED_CALLS_H

#include <stdbool.h>

#include "disasm/addr.h"

struct rfs_call;
struct rfs_run;
struct rfs_task;

/* Stubs record the calls of the function in [start, end). */
void rfs_recorded_calls_add(struct rfs_run *run, rfs_addr start, rfs_addr end);
bool rfs_recorded_calls_any(const struct rfs_run *run);
/* The row of the table that stands for the function, in case a breakpoint takes the stubs' place. False: it is not
 * recorded. */
bool rfs_recorded_calls_claim(struct rfs_run *run, rfs_addr address, const struct rfs_call *call);
/* If stubs record calls in [start, end), breakpoints take their place, for all that are recorded. True: they did. */
bool rfs_recorded_calls_remove_patches(struct rfs_run *run, struct rfs_task *task, rfs_addr start, rfs_addr end);
/* The code in [start, end) is gone. */
void rfs_recorded_calls_forget(struct rfs_run *run, rfs_addr start, rfs_addr end);
void rfs_recorded_calls_copy(const struct rfs_run *from, struct rfs_run *to);
void rfs_recorded_calls_release(struct rfs_run *run);

#endif
