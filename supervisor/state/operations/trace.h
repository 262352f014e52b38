/* trace.h - the visible operations of a run, and their comparison with a recorded run. */
#ifndef RFS_TRACE_H
#define RFS_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "policy/operations.h"

struct rfs_run;
struct rfs_thread;
struct rfs_op;
struct rfs_trace_entry;

/* Opens the trace files that the spec names. 0, or -errno and one line in why. */
int rfs_trace_open(struct rfs_run *run, char *why, size_t n);
/* Adds an operation, or an output of the target, to the trace. Ends the run if the recorded run did something else. */
void rfs_trace_op(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_op *op, enum rfs_outcome outcome);
void rfs_trace_output(struct rfs_run *run, struct rfs_thread *thread, rfs_addr data, uint64_t size);
/* Call this while memory has what the last operation wrote, if that may change before the next operation is added. */
void rfs_trace_settle(struct rfs_run *run);
/*
 * Whether the next operations may be added to the trace later than they happen. True if adding them does not need the
 * target's memory, and the run is not compared with a recorded run.
 */
bool rfs_trace_can_wait(const struct rfs_run *run);
/* Makes the chain of hashes of `to` continue the chain of `from`. Neither run writes a trace or compares with one. */
void rfs_trace_copy(const struct rfs_run *from, struct rfs_run *to);
/*
 * Returns how many operations the recorded run has; 0: there is no recorded run. Sets *out to these operations
 * (borrowed), and *at to the number of them that this run has executed.
 */
size_t rfs_trace_recorded(const struct rfs_run *run, const struct rfs_trace_entry **out, size_t *at);
/* How many entries the trace has so far. Each entry is an operation or an output. */
uint64_t rfs_trace_position(const struct rfs_run *run);
/* Call this when the run has ended. If the recorded run executed more operations, the run counts as diverged. */
void rfs_trace_finish(struct rfs_run *run);
/* Closes the files and frees the trace. */
void rfs_trace_close(struct rfs_run *run);

#endif
