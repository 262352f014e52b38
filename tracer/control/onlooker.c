/* onlooker.c - PTRACE_SEIZE of a process that is not controlled, only to notice its execs. */
#include "tracer/onlooker.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/ptrace.h>

#include "tracer/process/stop-priv.h"
#include "tracer/tracer.h"

#define OPTIONS                                                                                                        \
	(PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC)

int rfs_onlooker_seize(const struct rfs_onlooker *watch, pid_t child)
{
	const int options = OPTIONS | (watch->ends ? PTRACE_O_TRACEEXIT : 0);

	return ptrace(PTRACE_SEIZE, child, 0, options) ? -errno : 0;
}

static void onlooker_executed(struct rfs_onlooker *watch, pid_t pid)
{
	char file[PATH_MAX];

	if (!rfs_process_file(pid, file, sizeof(file)) && watch->executes(watch->arg, file) && !watch->found)
		watch->found = pid;
}

void rfs_onlooker_take(struct rfs_onlooker *watch, pid_t pid, int status)
{
	const struct rfs_raw raw = rfs_stop_decode(status);

	switch (raw.kind) {
	case RFS_RAW_EXITED:
	case RFS_RAW_KILLED:
		if (pid == watch->found && !watch->gone) {
			watch->gone = true;
			watch->status = status;
		}
		return;
	case RFS_RAW_EXEC:
		onlooker_executed(watch, pid);
		ptrace(PTRACE_CONT, pid, 0, 0);
		return;
	case RFS_RAW_CLONE:
		if (watch->made_thread)
			watch->made_thread(watch->arg, pid);
		ptrace(PTRACE_CONT, pid, 0, 0);
		return;
	case RFS_RAW_EXIT:
		if (watch->ends)
			watch->ends(watch->arg, pid);
		ptrace(PTRACE_CONT, pid, 0, 0);
		return;
	case RFS_RAW_GROUP:
		ptrace(PTRACE_LISTEN, pid, 0, 0);
		return;
	case RFS_RAW_SIGNAL:
		ptrace(PTRACE_CONT, pid, 0, raw.value);
		return;
	case RFS_RAW_TRAP:
		ptrace(PTRACE_CONT, pid, 0, SIGTRAP);
		return;
	default:
		ptrace(PTRACE_CONT, pid, 0, 0);
	}
}
