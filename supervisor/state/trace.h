#ifndef RFS_TRACE_H
#define RFS_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "policy/policy.h"

struct rfs_run;
struct rfs_thread;
struct rfs_op;
struct rfs_trace_entry;

int rfs_trace_open(struct rfs_run *run, char *why, size_t n);
void rfs_trace_op(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_op *op, enum rfs_outcome outcome);
void rfs_trace_output(struct rfs_run *run, struct rfs_thread *thread, rfs_addr data, uint64_t size);
/* Nothing that goes into the trace is taken from the target's memory as it is at an operation that comes now. */
bool rfs_trace_can_wait(const struct rfs_run *run);
/* The chain goes on behind that of another run. Neither writes a trace or compares with one. */
void rfs_trace_copy(const struct rfs_run *from, struct rfs_run *to);
/* The operations of the recorded run (borrowed), and how many of them this one has done. 0: none are known. */
size_t rfs_trace_recorded(const struct rfs_run *run, const struct rfs_trace_entry **out, size_t *at);
/* Entries that the trace has so far: an operation or an output each. */
uint64_t rfs_trace_position(const struct rfs_run *run);
/* The run is over: was that all that the recorded one did? */
void rfs_trace_finish(struct rfs_run *run);
void rfs_trace_close(struct rfs_run *run);

#endif
