#ifndef RFS_RECORDED_CALLS_H
#define RFS_RECORDED_CALLS_H

#include <stdbool.h>

#include "disasm/addr.h"

struct rfs_call;
struct rfs_run;
struct rfs_task;

/* A function of the C library whose calls stubs record in place of a breakpoint at its entry. */
struct rfs_recorded_call {
	rfs_addr start, end;
	const struct rfs_call *call; /* NULL: none of the table's */
};

/* Where stubs record calls in [start, end), breakpoints take their place, for all that are recorded. True: they did. */
bool rfs_recorded_calls_remove_patches(struct rfs_run *run, struct rfs_task *task, rfs_addr start, rfs_addr end);
/* The code in [start, end) is gone. */
void rfs_recorded_calls_forget(struct rfs_run *run, rfs_addr start, rfs_addr end);

#endif
