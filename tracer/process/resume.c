/* Resumes tasks. resume-priv.h names the two places that do so too. */
#include "tracer/process/resume-priv.h"

#include <errno.h>
#include <sys/ptrace.h>

#include "tracer/process/regs-priv.h"
#include "tracer/process/task-priv.h"

int rfs_task_continue(struct rfs_task *task, int request, int signo)
{
	int r = rfs_task_flush(task);

	/* an error means that SIGKILL has ended the ptrace stop, so the task is not stopped in that case either */
	task->state = RFS_TASK_RUNNING;
	task->stepping = request == PTRACE_SINGLESTEP;
	task->listening = request == PTRACE_LISTEN;
	task->left_syscall = false;
	task->start = 0;
	rfs_task_invalidate(task);
	if (!r && ptrace(request, task->tid, 0, (unsigned long)signo))
		r = -ESRCH;
	return r;
}

void rfs_task_let_go(struct rfs_task *task, int request)
{
	int r = rfs_task_continue(task, request, 0);

	(void)r; /* on an error the task is gone, and its end is reported */
}
