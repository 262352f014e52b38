/* The x87 and SSE registers of a stopped task, in the layout of FXSAVE (Intel SDM volume 1, section 10.5.1). */
#include "tracer/tracer-priv.h"

#include <errno.h>
#include <sys/ptrace.h>

int rfs_task_fpregs(struct rfs_task *task, struct user_fpregs_struct *out)
{
	if (task->state != RFS_TASK_STOPPED || ptrace(PTRACE_GETFPREGS, task->tid, 0, out))
		return -ESRCH;
	return 0;
}

int rfs_task_set_fpregs(struct rfs_task *task, const struct user_fpregs_struct *regs)
{
	if (task->state != RFS_TASK_STOPPED || ptrace(PTRACE_SETFPREGS, task->tid, 0, regs))
		return -ESRCH;
	task->xstate_valid = false;
	return 0;
}
