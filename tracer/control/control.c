/*
 * What a caller does with a tracer: it waits for a stop, reads the task's state, and resumes the task.
 *
 * Other files do the work: wait.c waits, event.c turns the status into a typed stop, step_over.c executes the
 * instruction under a breakpoint, and resume.c resumes.
 */
#include "tracer/control/control-priv.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <uthash.h>
#include <utlist.h>

#include "disasm/addr.h"
#include "disasm/insn/insn.h"
#include "tracer/breakpoint.h"
#include "tracer/code/breakpoint_table-priv.h"
#include "tracer/code/patch_task-priv.h"
#include "tracer/process/queue-priv.h"
#include "tracer/process/resume-priv.h"
#include "tracer/process/task-priv.h"
#include "tracer/process/tracer-priv.h"
#include "tracer/process/wait-priv.h"
#include "tracer/stops/event-priv.h"
#include "tracer/stops/exec-priv.h"
#include "tracer/tasks/step_over-priv.h"
#include "tracer/tasks/task_life-priv.h"
#include "tracer/tracer.h"

/* A tracer and the part of it that another layer keeps. */
struct whole_tracer {
	struct rfs_tracer tracer;
	struct rfs_exec_rules rules;
};

struct rfs_tracer *rfs_tracer_new(const struct rfs_exec_rules *rules)
{
	struct whole_tracer *whole = calloc(1, sizeof(*whole));

	if (!whole)
		return NULL;
	whole->rules = *rules;
	whole->tracer.rules = &whole->rules;
	return &whole->tracer;
}

pid_t rfs_tracer_pid(const struct rfs_tracer *tracer)
{
	return tracer->pid;
}

pid_t rfs_tracer_root(const struct rfs_tracer *tracer)
{
	return tracer->root;
}

void rfs_tracer_follow(struct rfs_tracer *tracer, const struct rfs_task *task)
{
	tracer->pid = task->pid;
}

void rfs_tracer_take_fork(struct rfs_tracer *tracer, unsigned nth)
{
	tracer->takes_fork = nth;
}

void rfs_tracer_keep_forks(struct rfs_tracer *tracer, bool keep)
{
	tracer->keeps_forks = keep;
}

/* Takes the first entry from the queue. Returns 1 and *out; 0 if the entry gives no stop to present; or -ENOMEM. */
static int tracer_take(struct rfs_tracer *tracer, struct rfs_stop *out)
{
	const struct rfs_pending pending = rfs_queue_take(tracer);

	if (pending.raw)
		return rfs_event_present(tracer, pending.tid, pending.status, out);
	*out = pending.stop;
	return rfs_event_give(out);
}

int rfs_tracer_wait(struct rfs_tracer *tracer, int timeout_ms, struct rfs_stop *out)
{
	const int64_t deadline = rfs_wait_deadline(timeout_ms);
	int r;

	for (;;) {
		pid_t tid;
		int status;

		while (tracer->queue) {
			r = tracer_take(tracer, out);
			if (r)
				return r;
		}
		/* the only child left is the original of this copy (forker.h), which has no stops to present */
		if (tracer->original && !tracer->tasks)
			return -ECHILD;
		r = rfs_wait_any(tracer, timeout_ms, deadline, &tid, &status);
		if (r <= 0)
			return r;
		r = rfs_event_present(tracer, tid, status, out);
		if (r)
			return r;
	}
}

/* The task was in a group stop when it was made, so it must not run before SIGCONT. Presents that group stop, now that
 * the caller has seen RFS_STOP_NEW. */
static int present_group_stop(struct rfs_task *task)
{
	struct rfs_stop stop = {.kind = RFS_STOP_GROUP, .task = task, .address = rfs_task_regs(task)->rip};

	stop.status = task->group_stopped;
	task->group_stopped = 0;
	return rfs_queue_stop(task->tracer, &stop);
}

/* The task is about to make a single step at a guarded breakpoint. The breakpoint has no int3 in the code, so the step
 * would not stop there. Queues its stop. */
static int present_guarded(struct rfs_task *task, struct rfs_breakpoint *breakpoint)
{
	const struct rfs_stop stop = {
		.kind = RFS_STOP_BREAKPOINT, .task = task, .address = breakpoint->address, .breakpoint = breakpoint};

	task->passing = breakpoint->address;
	return rfs_queue_stop(task->tracer, &stop);
}

/* An injected call has moved the task from an event in its system call to the exit of that call. Queues this stop. */
static int present_exit(struct rfs_task *task)
{
	const struct rfs_stop stop = {.kind = RFS_STOP_SYSCALL_EXIT, .task = task, .address = rfs_task_regs(task)->rip};

	task->left_syscall = false;
	return rfs_queue_stop(task->tracer, &stop);
}

void rfs_task_jump(struct rfs_task *task, rfs_addr to)
{
	rfs_task_regs_mut(task)->rip = to;
	task->passing = rfs_breakpoint_at(task->space, to) ? to : 0;
}

bool rfs_task_passes(struct rfs_task *task)
{
	return task->passing && rfs_task_regs(task)->rip == task->passing;
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
	if (how == RFS_RESUME_SYSCALL && task->left_syscall)
		return present_exit(task);
	if (how == RFS_RESUME_LAST &&
	    ptrace(PTRACE_SETOPTIONS, task->tid, 0, (unsigned long)(RFS_PTRACE_OPTIONS & ~PTRACE_O_TRACEEXIT)))
		return -ESRCH;
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
	/* if a signal is delivered, its handler runs first, and later returns to the breakpoint */
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

void rfs_tracer_kill(struct rfs_tracer *tracer)
{
	struct rfs_task *task, *next;

	tracer->killing = true;
	if (tracer->root > 0)
		kill(-tracer->root, SIGKILL);
	HASH_ITER (hh, tracer->tasks, task, next) {
		kill(task->tid, SIGKILL);
		/* if the process is ending already, SIGKILL does not wake a task at its exit event (prepare_signal()
		 * drops it) */
		if (task->state == RFS_TASK_STOPPED)
			rfs_task_let_go(task, PTRACE_CONT);
	}
}

/* Waits until all tasks have ended. */
static void reap_all(struct rfs_tracer *tracer)
{
	struct rfs_task *task, *next;
	struct rfs_stop stop;

	/* tasks that died before the event of their maker: the kernel has reported their end, so no stop of them will
	 * come */
	HASH_ITER (hh, tracer->tasks, task, next)
		if (task->held && !WIFSTOPPED(task->held_status))
			rfs_task_retire(task);
	while (tracer->tasks) {
		int r = rfs_tracer_wait(tracer, -1, &stop);

		if (r < 0)
			return;
		if (r && (stop.kind == RFS_STOP_EXITED || stop.kind == RFS_STOP_KILLED))
			rfs_task_forget(stop.task);
	}
}

void rfs_tracer_free(struct rfs_tracer *tracer)
{
	struct rfs_task *task, *next;

	if (!tracer)
		return;
	rfs_tracer_kill(tracer);
	reap_all(tracer);
	rfs_wait_release(tracer);
	rfs_queue_release(tracer);
	HASH_ITER (hh, tracer->tasks, task, next)
		rfs_task_retire(task);
	DL_FOREACH_SAFE(tracer->gone, task, next)
	rfs_task_forget(task);
	if (!tracer->original)
		rfs_decoder_free(tracer->decoder);
	free(tracer);
}
