/* lost_signal.c - counts the threads that wait on a condition variable, operation by operation. */
#include "supervisor/campaign/output/lost_signal.h"

#include "policy/policy.h"
#include "supervisor/record/trace_file.h"

/* The operation with which the thread fell asleep; n: it does not sleep. */
static size_t wait_of(const struct rfs_trace_entry *trace, size_t n, unsigned thread)
{
	for (size_t i = n; i-- > 0;)
		if (trace[i].thread == thread)
			return trace[i].kind == RFS_OP_COND_WAIT ? i : n;
	return n;
}

size_t rfs_lost_signal(const struct rfs_trace_entry *trace, size_t n, unsigned thread)
{
	const size_t wait = wait_of(trace, n, thread);
	size_t last = n, waiters = 0;

	for (size_t i = 0; wait < n && i < n; i++) {
		if (rfs_trace_object(&trace[i]) != rfs_trace_object(&trace[wait]))
			continue;
		switch (trace[i].kind) {
		case RFS_OP_COND_WAIT:
			waiters++;
			break;
		case RFS_OP_COND_WAKE:
			waiters -= waiters > 0;
			break;
		case RFS_OP_COND_SIGNAL:
		case RFS_OP_COND_BROADCAST:
			last = waiters ? n : i;
			break;
		default:
			break;
		}
	}
	return last;
}
