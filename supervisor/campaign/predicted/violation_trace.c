/* violation_trace.c - looks in a trace for the operations of a violation, in its order. */
#include "supervisor/campaign/predicted/violation_trace.h"

#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/site.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/record/violation.h"

static bool is_at(const struct rfs_violation_access *access, const struct rfs_run_result *result,
		  const struct rfs_trace_entry *entry)
{
	uint64_t offset;
	size_t module;

	return entry->kind < RFS_OP_COUNT && access->site.module &&
	       (access->thread < 0 || access->thread == entry->thread) &&
	       rfs_site_split(entry->site, &module, &offset) && module < result->n_modules &&
	       offset == access->site.offset && strcmp(access->site.module, result->modules[module].path) == 0;
}

static bool is_remote(const struct rfs_violation *violation, const struct rfs_run_result *result,
		      const struct rfs_trace_entry *entry)
{
	/* the end of a thread has no place of its own */
	if (violation->pattern == RFS_ORDER_USE_EXIT)
		return entry->kind == RFS_OP_EXIT && entry->thread == violation->remote.thread;
	return is_at(&violation->remote, result, entry);
}

bool rfs_violation_is_in_trace(const struct rfs_violation *violation, const struct rfs_run_result *result,
			       const struct rfs_trace_entry *trace, size_t n)
{
	const bool order = rfs_atomicity_is_order(violation->pattern);
	/* the operation that the remote one must come before */
	const struct rfs_violation_access *last = order ? &violation->first : &violation->second;
	bool begun = order, remote = false;

	for (size_t i = 0; i < n; i++) {
		if (remote && is_at(last, result, &trace[i]))
			return true;
		/* a loop makes the first access again, and only the last one before the second one counts */
		if (!order && is_at(&violation->first, result, &trace[i]))
			begun = true, remote = false;
		else if (begun && is_remote(violation, result, &trace[i]))
			remote = true;
	}
	return false;
}
