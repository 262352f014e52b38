/*
 * recorded_calls.h - the list of functions (such as malloc) whose calls are recorded by stubs, and the breakpoints that
 * can replace these stubs.
 */
#ifndef RFS_RECORDED_CALLS_H
#define RFS_RECORDED_CALLS_H

#include <stdbool.h>

#include "disasm/addr.h"

struct rfs_call;
struct rfs_run;
struct rfs_task;

/* Notes that stubs record the calls of the function in [start, end). */
void rfs_recorded_calls_add(struct rfs_run *run, rfs_addr start, rfs_addr end);
/* Whether stubs record the calls of any function. */
bool rfs_recorded_calls_any(const struct rfs_run *run);
/*
 * If stubs record the function at this address, keeps its row of the table of calls. The row is needed later if a
 * breakpoint replaces the stubs. False if stubs do not record the function: the caller must set a breakpoint.
 */
bool rfs_recorded_calls_claim(struct rfs_run *run, rfs_addr address, const struct rfs_call *call);
/*
 * If a function in [start, end) is recorded, replaces the stubs of all recorded functions by breakpoints, and returns
 * true.
 */
bool rfs_recorded_calls_remove_patches(struct rfs_run *run, struct rfs_task *task, rfs_addr start, rfs_addr end);
/* Removes the functions in [start, end) from the list, because their code is no longer mapped. */
void rfs_recorded_calls_forget(struct rfs_run *run, rfs_addr start, rfs_addr end);
/* Copies the list, for a copy of the fork server. */
void rfs_recorded_calls_copy(const struct rfs_run *from, struct rfs_run *to);
/* Frees the list. */
void rfs_recorded_calls_release(struct rfs_run *run);

#endif
