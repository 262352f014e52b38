/*
 * stop-priv.h - decodes a raw wait status.
 *
 * The result depends only on the status, not on the task. event.c adds what the status does not contain, such as the
 * breakpoint and the details of a signal. The encodings are those of ptrace(2), "Stopped states", for tasks that were
 * attached with PTRACE_SEIZE.
 */
#ifndef RFS_TRACER_STOP_PRIV_H
#define RFS_TRACER_STOP_PRIV_H

#include <stdbool.h>

enum rfs_raw_kind {
	RFS_RAW_UNKNOWN, /* an event that we did not request */
	RFS_RAW_EXITED,	 /* value: exit status */
	RFS_RAW_KILLED,	 /* value: signal; core: it dumped core */
	RFS_RAW_SIGNAL,	 /* signal-delivery stop other than SIGTRAP; value: signal */
	RFS_RAW_TRAP,	 /* signal-delivery stop of SIGTRAP: a breakpoint, a step, or the target's own SIGTRAP */
	RFS_RAW_SYSCALL, /* entry or exit after PTRACE_SYSCALL (TRACESYSGOOD) */
	RFS_RAW_SECCOMP,
	RFS_RAW_CLONE,
	RFS_RAW_FORK,
	RFS_RAW_VFORK,
	RFS_RAW_VFORK_DONE,
	RFS_RAW_EXEC,
	RFS_RAW_EXIT,
	RFS_RAW_STOP,  /* PTRACE_EVENT_STOP with SIGTRAP: a new task, PTRACE_INTERRUPT, or the end of a group stop */
	RFS_RAW_GROUP, /* PTRACE_EVENT_STOP with a stopping signal; value: that signal */
};

struct rfs_raw {
	enum rfs_raw_kind kind;
	int value;
	bool core;
};

struct rfs_raw rfs_stop_decode(int status);

#endif
