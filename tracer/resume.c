/* The only place that resumes a task. */
#include "tracer/tracer-priv.h"

#include <errno.h>
#include <sys/ptrace.h>

int rfs_task_continue(struct rfs_task *task, int request, int signo)
{
	int r = rfs_task_flush(task);

	/* after any error, the task is no longer stopped: SIGKILL is the only way out of a ptrace stop */
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

	(void)r; /* its end is reported */
}

/* The task was born into a group stop: it must not run before SIGCONT. The stop is presented now, as the second one. */
static int present_group_stop(struct rfs_task *task)
{
	struct rfs_stop stop = {.kind = RFS_STOP_GROUP, .task = task, .address = rfs_task_regs(task)->rip};

	stop.status = task->group_stopped;
	task->group_stopped = 0;
	return rfs_queue_stop(task->tracer, &stop);
}

/* The step that would execute a breakpoint's byte if that byte were in the code. */
static int present_guarded(struct rfs_task *task, struct rfs_breakpoint *breakpoint)
{
	const struct rfs_stop stop = {
		.kind = RFS_STOP_BREAKPOINT, .task = task, .address = breakpoint->address, .breakpoint = breakpoint};

	task->passing = breakpoint->address;
	return rfs_queue_stop(task->tracer, &stop);
}

void rfs_task_jump(struct rfs_task *task, rfs_addr to)
{
	rfs_task_regs_mut(task)->rip = to;
	task->passing = rfs_breakpoint_at(task->space, to) ? to : 0;
}

int rfs_task_resume(struct rfs_task *task, enum rfs_resume how, int signo)
{
	int request = PTRACE_CONT;
	struct rfs_breakpoint *breakpoint;
	struct rfs_insn insn;

	if (task->state != RFS_TASK_STOPPED)
		return -ESRCH;
	if (how == RFS_RESUME_STEP)
		request = PTRACE_SINGLESTEP;
	else if (how == RFS_RESUME_SYSCALL)
		request = PTRACE_SYSCALL;
	else if (how == RFS_RESUME_LISTEN)
		request = PTRACE_LISTEN;
	if (task->group_stopped)
		return present_group_stop(task);
	if (how == RFS_RESUME_STEP && !signo && rfs_patch_insn(task->space, rfs_task_regs(task)->rip, &insn)) {
		breakpoint = rfs_breakpoint_at(task->space, insn.vaddr);
		if (breakpoint && breakpoint->guarded && task->passing != insn.vaddr)
			return present_guarded(task, breakpoint);
		switch (rfs_patch_pass(task, &insn, &request)) {
		case RFS_PASSED_READY:
			return rfs_task_continue(task, request, 0);
		case RFS_PASSED_STOP:
			return 0;
		case RFS_PASSED_GONE:
			return -ESRCH;
		}
	}
	if (task->inside && !signo && how != RFS_RESUME_LISTEN)
		rfs_patch_enter(task);
	/* with a signal its handler runs first, and comes back to the breakpoint */
	if (task->passing && !signo && how != RFS_RESUME_LISTEN && rfs_task_regs(task)->rip == task->passing) {
		switch (rfs_breakpoint_pass(task, &request)) {
		case RFS_PASSED_READY:
			break;
		case RFS_PASSED_STOP:
			return 0;
		case RFS_PASSED_GONE:
			return -ESRCH;
		}
	}
	return rfs_task_continue(task, request, signo);
}

int rfs_task_interrupt(struct rfs_task *task)
{
	if (task->state == RFS_TASK_GONE || ptrace(PTRACE_INTERRUPT, task->tid, 0, 0))
		return -ESRCH;
	return 0;
}
