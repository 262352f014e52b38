/* recorded_calls.h - functions whose calls stubs record, and the breakpoints that can replace the stubs. */
#ifndef RFS_RECORDED_CALLS_H
#define RFS_RECORDED_CALLS_H

#include <stdbool.h>

#include "disasm/addr.h"

struct rfs_call;
struct rfs_run;
struct rfs_task;

/* Stubs record the calls of the function in [start, end). */
void rfs_recorded_calls_add(struct rfs_run *run, rfs_addr start, rfs_addr end);
/* Whether stubs record the calls of any function. */
bool rfs_recorded_calls_any(const struct rfs_run *run);
/*
 * Stores the function's row, which is needed if a breakpoint replaces the stubs. False: the function is not recorded.
 */
bool rfs_recorded_calls_claim(struct rfs_run *run, rfs_addr address, const struct rfs_call *call);
/*
 * If stubs record calls in [start, end), replaces the stubs of all recorded functions by breakpoints. True if it did.
 */
bool rfs_recorded_calls_remove_patches(struct rfs_run *run, struct rfs_task *task, rfs_addr start, rfs_addr end);
/* The code in [start, end) is not mapped any more. */
void rfs_recorded_calls_forget(struct rfs_run *run, rfs_addr start, rfs_addr end);
/* Copies the list, for a copy of the fork server. */
void rfs_recorded_calls_copy(const struct rfs_run *from, struct rfs_run *to);
/* Frees the list. */
void rfs_recorded_calls_release(struct rfs_run *run);

#endif
