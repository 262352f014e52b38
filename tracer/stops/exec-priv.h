/* exec-priv.h - what happens after a task has executed a new program. */
#ifndef RFS_TRACER_EXEC_PRIV_H
#define RFS_TRACER_EXEC_PRIV_H

#include <stdbool.h>

struct rfs_task;

/* What each program gets that the target executes, and what we learnt of it. */
struct rfs_exec_rules {
	bool trap_rdtsc, trap_cpuid;
	bool cpuid_shows; /* trapping cpuid was requested, but the processor cannot do it */
	bool has_random;
	unsigned char random[16];
};

/* Handles PTRACE_EVENT_EXEC: prepares the new program and queues the stops that rfs_tracer_wait() returns next. Returns
 * 0 or -ENOMEM. */
int rfs_exec_present(struct rfs_task *task) __attribute__((warn_unused_result));

#endif
