/* stop.c - a pure function: wait status in, kind of stop out. Unit tests call it with literal numbers. */
#include "tracer/process/stop-priv.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

/* <sys/ptrace.h> of older C libraries does not define it */
#ifndef PTRACE_EVENT_STOP
#define PTRACE_EVENT_STOP 128
#endif

static enum rfs_raw_kind kind_of_event(int event, int signo)
{
	switch (event) {
	case PTRACE_EVENT_CLONE:
		return RFS_RAW_CLONE;
	case PTRACE_EVENT_FORK:
		return RFS_RAW_FORK;
	case PTRACE_EVENT_VFORK:
		return RFS_RAW_VFORK;
	case PTRACE_EVENT_VFORK_DONE:
		return RFS_RAW_VFORK_DONE;
	case PTRACE_EVENT_EXEC:
		return RFS_RAW_EXEC;
	case PTRACE_EVENT_EXIT:
		return RFS_RAW_EXIT;
	case PTRACE_EVENT_SECCOMP:
		return RFS_RAW_SECCOMP;
	case PTRACE_EVENT_STOP:
		return signo == SIGTRAP ? RFS_RAW_STOP : RFS_RAW_GROUP;
	default:
		return RFS_RAW_UNKNOWN;
	}
}

struct rfs_raw rfs_stop_decode(int status)
{
	struct rfs_raw raw = {.kind = RFS_RAW_UNKNOWN};
	int event = status >> 16;

	if (WIFEXITED(status)) {
		raw.kind = RFS_RAW_EXITED;
		raw.value = WEXITSTATUS(status);
	} else if (WIFSIGNALED(status)) {
		raw.kind = RFS_RAW_KILLED;
		raw.value = WTERMSIG(status);
		raw.core = WCOREDUMP(status);
	} else if (WIFSTOPPED(status)) {
		raw.value = WSTOPSIG(status);
		if (event)
			raw.kind = kind_of_event(event, raw.value);
		else if (raw.value == (SIGTRAP | 0x80))
			raw.kind = RFS_RAW_SYSCALL;
		else if (raw.value == SIGTRAP)
			raw.kind = RFS_RAW_TRAP;
		else
			raw.kind = RFS_RAW_SIGNAL;
	}
	return raw;
}
