/* control-priv.h - makes a tracer without a program. */
#ifndef RFS_TRACER_CONTROL_PRIV_H
#define RFS_TRACER_CONTROL_PRIV_H

#include <sys/ptrace.h>

/* The options of each task. */
#define RFS_PTRACE_OPTIONS                                                                                             \
	(PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |                          \
	 PTRACE_O_TRACEVFORKDONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_TRACESECCOMP |                   \
	 PTRACE_O_TRACESYSGOOD)

struct rfs_exec_rules;
struct rfs_tracer;

/* NULL: no memory. Free it with rfs_tracer_free(). */
struct rfs_tracer *rfs_tracer_new(const struct rfs_exec_rules *rules);

#endif
