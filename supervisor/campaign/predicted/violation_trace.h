/* violation_trace.h - whether a violation took place in a run, according to the trace of the run. */
#ifndef RFS_CAMPAIGN_VIOLATION_TRACE_H
#define RFS_CAMPAIGN_VIOLATION_TRACE_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_run_result;
struct rfs_trace_entry;
struct rfs_violation;

/* result: of the run with this trace; it has the names of the modules. */
bool rfs_violation_is_in_trace(const struct rfs_violation *violation, const struct rfs_run_result *result,
			       const struct rfs_trace_entry *trace, size_t n);

#endif
