/*
 * Turns a raw wait status into a typed stop.
 *
 * The first stop of a new task and the event of its maker arrive in any order:
 *
 *     maker first                          new task first
 *     CLONE event   -> task made, CLONE    its first stop -> task made, held
 *     first stop    -> NEW                 CLONE event    -> CLONE, then the held stop: NEW
 *
 * In both cases, the caller sees the maker's event first. tests/tracer/threads_test.c covers both.
 */
#include "tracer/stops/event-priv.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <uthash.h>

#include "disasm/addr.h"
#include "tracer/code/breakpoint-priv.h"
#include "tracer/code/breakpoint_table-priv.h"
#include "tracer/code/closed_code-priv.h"
#include "tracer/code/patch-priv.h"
#include "tracer/code/patch_task-priv.h"
#include "tracer/memory.h"
#include "tracer/places/slot-priv.h"
#include "tracer/places/stub_buffer-priv.h"
#include "tracer/places/trampoline-priv.h"
#include "tracer/process/code_bytes-priv.h"
#include "tracer/process/proc-priv.h"
#include "tracer/process/queue-priv.h"
#include "tracer/process/regs-priv.h"
#include "tracer/process/resume-priv.h"
#include "tracer/process/stop-priv.h"
#include "tracer/process/task-priv.h"
#include "tracer/process/tracer-priv.h"
#include "tracer/stops/exec-priv.h"
#include "tracer/stops/filter-priv.h"
#include "tracer/tasks/space_life-priv.h"
#include "tracer/tasks/task_life-priv.h"

static unsigned long event_message(const struct rfs_task *task)
{
	unsigned long message = 0;

	if (ptrace(PTRACE_GETEVENTMSG, task->tid, 0, &message))
		return 0;
	return message;
}

/* Lets a task that is in a slot continue at the program's address that corresponds to it. */
static void continue_at(struct rfs_task *task, rfs_addr original)
{
	/* the copied instruction was syscall, and its copy has not corrected rcx yet */
	if (rfs_task_regs(task)->rcx == task->regs.rip)
		rfs_task_regs_mut(task)->rcx = original;
	rfs_task_set_rip(task, original);
}

/* If the task is in a slot, sets rip to the program's address that corresponds to it. Returns whether the task was
 * there. */
static bool leave_slot(struct rfs_task *task)
{
	rfs_addr rip = rfs_task_regs(task)->rip, original;
	bool before;

	if (!rfs_slot_translate(task->space, rip, &original, &before))
		return false;
	continue_at(task, original);
	/* the breakpoint was presented before, but its instruction has not run yet */
	if (before)
		task->passing = original;
	return true;
}

/* The same for a task that may be in a slot or in a stub. At the entry of a system call, leave_slot() is enough,
 * because no stub contains a system call. */
static bool leave_copy(struct rfs_task *task, bool fault)
{
	return leave_slot(task) || rfs_patch_leave(task, fault);
}

/* Whether the instruction at rip raised the signal. Otherwise somebody sent it. */
static bool is_fault(const siginfo_t *info)
{
	return info->si_code > 0 && (info->si_signo == SIGSEGV || info->si_signo == SIGBUS ||
				     info->si_signo == SIGILL || info->si_signo == SIGFPE || info->si_signo == SIGTRAP);
}

static int present_inside(struct rfs_task *task, rfs_addr address, struct rfs_stop *out)
{
	rfs_task_set_rip(task, address);
	task->inside = address;
	out->kind = RFS_STOP_INSIDE;
	out->address = address;
	return 1;
}

/* breakpoint: NULL at a trampoline. */
static int present_breakpoint(struct rfs_task *task, rfs_addr address, struct rfs_breakpoint *breakpoint,
			      struct rfs_stop *out)
{
	rfs_task_set_rip(task, address);
	task->passing = address;
	out->kind = RFS_STOP_BREAKPOINT;
	out->address = address;
	out->breakpoint = breakpoint;
	return 1;
}

static int present_signal(struct rfs_task *task, struct rfs_stop *out)
{
	rfs_addr at = rfs_task_regs(task)->rip;
	siginfo_t *info = &out->info;

	out->kind = RFS_STOP_SIGNAL;
	if (leave_copy(task, is_fault(info)) && info->si_code > 0 &&
	    (info->si_signo == SIGILL || info->si_signo == SIGFPE || info->si_signo == SIGTRAP) &&
	    (rfs_addr)(uintptr_t)info->si_addr == at) {
		info->si_addr = (void *)(uintptr_t)rfs_task_regs(task)->rip;
		ptrace(PTRACE_SETSIGINFO, task->tid, 0, info);
	}
	out->address = rfs_task_regs(task)->rip;
	return 1;
}

/* Which instruction trapped: rdtsc (PR_TSC_SIGSEGV) or cpuid. Any general protection fault raises the same signal, so
 * the code bytes decide. RFS_STOP_NONE: another instruction. */
static enum rfs_stop_kind trapped_instruction(struct rfs_task *task, const siginfo_t *info)
{
	rfs_addr rip = rfs_task_regs(task)->rip, original;
	unsigned char code[3] = {0};
	bool before;

	if (!(task->tracer->rules->trap_rdtsc || task->tracer->rules->trap_cpuid) || info->si_signo != SIGSEGV ||
	    info->si_code != SI_KERNEL)
		return RFS_STOP_NONE;
	if (rfs_slot_translate(task->space, rip, &original, &before))
		rip = original;
	/* rdtsc and cpuid have only two bytes, and a third one may be in an unmapped page */
	if (rfs_space_read(task->space, rip, code, 3) && rfs_space_read(task->space, rip, code, 2))
		return RFS_STOP_NONE;
	if (!memcmp(code, "\x0f\x31", 2) || !memcmp(code, "\x0f\x01\xf9", 3))
		return RFS_STOP_RDTSC;
	return memcmp(code, "\x0f\xa2", 2) ? RFS_STOP_NONE : RFS_STOP_CPUID;
}

static int signal_stop(struct rfs_task *task, struct rfs_stop *out)
{
	struct rfs_breakpoint *breakpoint;
	rfs_addr at;

	/* the only error is ESRCH: the task has died, which is reported later. EINVAL would mean a group stop, but a
	 * seized task reports a group stop as PTRACE_EVENT_STOP */
	if (ptrace(PTRACE_GETSIGINFO, task->tid, 0, &out->info))
		return 0;
	if (is_fault(&out->info) && out->info.si_signo == SIGSEGV &&
	    rfs_stub_buffer_full_at(task->space, (rfs_addr)(uintptr_t)out->info.si_addr) &&
	    rfs_patch_leave(task, false)) {
		out->kind = RFS_STOP_RECORDS;
		out->address = rfs_task_regs(task)->rip;
		return 1;
	}
	if (is_fault(&out->info) && (out->info.si_signo == SIGSEGV || out->info.si_signo == SIGBUS)) {
		at = rfs_patch_stopped(task->space, rfs_task_regs(task)->rip, true);
		/* a test of a stub could not read its word, so it counts as failed: present the breakpoint. If the
		 * caller resumes the task, the program's own code faults on the same word */
		if (at && rfs_patch_leave(task, true))
			return present_breakpoint(task, at, rfs_breakpoint_at(task->space, at), out);
	}
	if (is_fault(&out->info) && out->info.si_signo == SIGILL &&
	    rfs_patch_is_inside(task->space, rfs_task_regs(task)->rip))
		return present_inside(task, rfs_task_regs(task)->rip, out);
	if (rfs_code_faulted(task, &out->info, &breakpoint))
		return breakpoint ? present_breakpoint(task, rfs_breakpoint_address(breakpoint), breakpoint, out)
				  : -ENOMEM;
	out->kind = trapped_instruction(task, &out->info);
	if (out->kind != RFS_STOP_NONE) {
		leave_slot(task);
		out->address = rfs_task_regs(task)->rip;
		return 1;
	}
	return present_signal(task, out);
}

/* A step after PTRACE_SINGLESTEP has ended. If it ended at a slot's jump back, the instruction in the slot was
 * executed. */
static int step_stop(struct rfs_task *task, struct rfs_stop *out)
{
	leave_copy(task, false);
	out->kind = RFS_STOP_STEP;
	out->address = rfs_task_regs(task)->rip;
	return 1;
}

/* A debug register has stopped the task. rip is the next instruction; a breakpoint there has not been hit yet. */
static int watch_stop(struct rfs_task *task, struct rfs_stop *out)
{
	leave_copy(task, false);
	out->kind = RFS_STOP_WATCH;
	out->address = rfs_task_regs(task)->rip;
	return 1;
}

/*
 * Handles SIGTRAP. Its cause is one of these:
 *
 *   - our int3 at a breakpoint or trampoline, in a stub, or inside a patch;
 *   - our int3 that was removed between the trap and this check: the instruction is then executed again;
 *   - a debug register, or a single step;
 *   - the target's own int3, or a SIGTRAP that was sent.
 */
static int trap_stop(struct rfs_task *task, struct rfs_stop *out)
{
	rfs_addr address = rfs_task_regs(task)->rip - 1, start;
	struct rfs_breakpoint *breakpoint = rfs_breakpoint_at(task->space, address);
	unsigned char byte;

	if (breakpoint && breakpoint->is_fault)
		breakpoint = NULL; /* it has no int3 */
	if (breakpoint)
		rfs_breakpoint_look(breakpoint);
	else if ((start = rfs_patch_stopped(task->space, address, false)) != 0)
		return present_breakpoint(task, start, rfs_breakpoint_at(task->space, start), out);
	if (task->tracer->watches && !ptrace(PTRACE_GETSIGINFO, task->tid, 0, &out->info) &&
	    out->info.si_code == TRAP_HWBKPT)
		return watch_stop(task, out);
	if (breakpoint && !breakpoint->doubtful && !task->stepping)
		return present_breakpoint(task, address, breakpoint, out);
	if (ptrace(PTRACE_GETSIGINFO, task->tid, 0, &out->info))
		return 0;
	if (out->info.si_code == SI_KERNEL) {
		if (breakpoint || rfs_is_trampoline(task->space, address))
			return present_breakpoint(task, address, breakpoint, out);
		if (rfs_patch_is_inside(task->space, address))
			return present_inside(task, address, out);
		if (!rfs_space_peek(task->space, address, &byte, 1) && byte != 0xcc) {
			rfs_task_set_rip(task, address);
			rfs_task_let_go(task, task->stepping ? PTRACE_SINGLESTEP : PTRACE_CONT);
			return 0;
		}
	} else if (task->stepping && (out->info.si_code == TRAP_TRACE || out->info.si_code == TRAP_BRKPT ||
				      out->info.si_code == SIGTRAP)) {
		/* SIGTRAP: the step delivered a signal, and ended at the first instruction of the handler */
		return step_stop(task, out);
	}
	return present_signal(task, out);
}

static void foreign_syscall(struct rfs_task *task, struct rfs_stop *out)
{
	struct __ptrace_syscall_info info;

	out->arch = AUDIT_ARCH_I386;
	/* Linux before 5.3 lacks this request: the arguments are then wrong, but the number is right */
	if (ptrace(PTRACE_GET_SYSCALL_INFO, task->tid, sizeof(info), &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_SECCOMP)
		return;
	out->arch = info.arch;
	out->number = (long)info.seccomp.nr;
	for (int i = 0; i < 6; i++)
		out->args[i] = info.seccomp.args[i];
}

static int seccomp_stop(struct rfs_task *task, struct rfs_stop *out)
{
	const struct user_regs_struct *regs = rfs_task_regs(task);

	out->kind = RFS_STOP_SYSCALL;
	out->message = event_message(task);
	out->arch = AUDIT_ARCH_X86_64;
	out->number = (long)regs->orig_rax;
	out->args[0] = regs->rdi;
	out->args[1] = regs->rsi;
	out->args[2] = regs->rdx;
	out->args[3] = regs->r10;
	out->args[4] = regs->r8;
	out->args[5] = regs->r9;
	if (out->message == RFS_FILTER_FOREIGN)
		foreign_syscall(task, out);
	leave_slot(task);
	out->address = regs->rip;
	return 1;
}

/* The flags of the system call by which this task makes another one. */
static uint64_t clone_flags(struct rfs_task *task)
{
	const struct user_regs_struct *regs = rfs_task_regs(task);
	uint64_t flags = 0;

	switch (regs->orig_rax) {
	case SYS_clone:
		return regs->rdi;
	case SYS_clone3:
		/* struct clone_args begins with the flags */
		if (rfs_space_read(task->space, regs->rdi, &flags, sizeof(flags)))
			flags = 0;
		return flags;
	case SYS_vfork:
		return CLONE_VM | CLONE_VFORK;
	default:
		return 0;
	}
}

/* Gives `child` the memory that it has: the space of its maker, or its own. */
static int give_space(struct rfs_task *maker, struct rfs_task *child, uint64_t flags, bool kept)
{
	struct rfs_space *space = maker->space;
	rfs_addr original;
	bool before;

	if (kept) {
		int r = rfs_space_join(maker->space, child, &space);

		if (r)
			return r;
	} else if (!(flags & CLONE_VM)) {
		int r = rfs_space_fork(maker->space, child, &space);

		if (r)
			return r;
		/* the child begins where its maker is, but its space has no slots, so let it start at the program's
		 * address */
		if (rfs_slot_translate(maker->space, rfs_task_regs(maker)->rip, &original, &before))
			child->start = original;
	}
	rfs_task_join_space(child, space);
	return 0;
}

/* Whether the process that this task forks takes the place of the selected program. Counts it. */
static bool takes_place(struct rfs_task *maker, uint64_t flags)
{
	struct rfs_tracer *tracer = maker->tracer;

	if ((flags & CLONE_VM) || maker->pid != tracer->pid || !tracer->takes_fork || --tracer->takes_fork)
		return false;
	return rfs_space_is_private(maker);
}

/* Whether the process that this task forks stays under control. */
static bool is_kept(const struct rfs_task *maker, uint64_t flags)
{
	const struct rfs_tracer *tracer = maker->tracer;

	return tracer->keeps_forks && maker->pid == tracer->pid && !(flags & CLONE_VM);
}

static int adopt(struct rfs_task *maker, struct rfs_task *child, uint64_t flags, bool taken, bool kept)
{
	int r;

	child->pid = flags & CLONE_THREAD ? maker->pid : child->tid;
	if (taken) {
		leave_slot(maker);
		r = rfs_space_give(maker, child);
	} else {
		r = give_space(maker, child, flags, kept);
	}
	if (r)
		return r;
	if (taken)
		maker->tracer->pid = child->pid;
	if (!child->held)
		return 0;
	child->held = false;
	child->state = RFS_TASK_RUNNING;
	return rfs_queue_raw(child->tracer, child->tid, child->held_status);
}

static int maker_stop(struct rfs_task *task, struct rfs_stop *out)
{
	uint64_t flags = clone_flags(task);
	struct rfs_task *child;
	int r;

	out->message = event_message(task);
	if (!out->message)
		return 0;
	if (!(flags & CLONE_VM))
		out->kind = RFS_STOP_FORK;
	else if (flags & CLONE_VFORK)
		out->kind = RFS_STOP_VFORK;
	else
		out->kind = RFS_STOP_CLONE;
	child = rfs_tracer_task(task->tracer, (pid_t)out->message);
	if (!child)
		child = rfs_task_new(task->tracer, (pid_t)out->message);
	if (!child)
		return -ENOMEM;
	out->taken = takes_place(task, flags);
	out->kept = !out->taken && is_kept(task, flags);
	r = adopt(task, child, flags, out->taken, out->kept);
	if (r)
		return r;
	leave_slot(task);
	out->child = child;
	out->address = rfs_task_regs(task)->rip;
	return 1;
}

/* group: the stopping signal if the process is already in a group stop, otherwise 0. */
static int first_stop(struct rfs_task *task, int group, struct rfs_stop *out)
{
	task->announced = true;
	task->group_stopped = group;
	if (task->start)
		continue_at(task, task->start);
	else
		leave_slot(task);
	if (!rfs_stub_buffer_join(task))
		rfs_patches_give_up(task->space);
	out->kind = RFS_STOP_NEW;
	out->address = rfs_task_regs(task)->rip;
	return 1;
}

static int simple_stop(struct rfs_task *task, enum rfs_stop_kind kind, struct rfs_stop *out)
{
	leave_copy(task, false);
	out->kind = kind;
	out->address = rfs_task_regs(task)->rip;
	return 1;
}

static int exit_stop(struct rfs_task *task, struct rfs_stop *out)
{
	struct rfs_task *leader = rfs_tracer_task(task->tracer, task->pid);

	if (leader)
		leader->cpu = rfs_process_cpu_seconds(task->pid);
	out->message = event_message(task);
	return simple_stop(task, RFS_STOP_EXITING, out);
}

/* If a maker is killed before its event is reported, the new task is never announced. Such a task continues as a
 * process with its own space. */
static int adopt_orphans(struct rfs_tracer *tracer)
{
	struct rfs_task *task, *next;

	HASH_ITER (hh, tracer->tasks, task, next) {
		struct rfs_space *space;
		int r;

		if (!task->held || !WIFSTOPPED(task->held_status) || rfs_tracer_task(tracer, rfs_task_parent(task)))
			continue;
		r = rfs_space_new(task, &space);
		if (r == -ENOMEM)
			return r;
		if (r)
			continue;
		rfs_task_join_space(task, space);
		task->held = false;
		r = rfs_queue_raw(tracer, task->tid, task->held_status);
		if (r)
			return r;
	}
	return 0;
}

static int death(struct rfs_task *task, const struct rfs_raw *raw, struct rfs_stop *out)
{
	struct rfs_tracer *tracer = task->tracer;
	int r;

	if (task->tid == task->pid)
		tracer->cpu_gone += task->cpu;
	rfs_task_retire(task);
	out->kind = raw->kind == RFS_RAW_EXITED ? RFS_STOP_EXITED : RFS_STOP_KILLED;
	out->status = raw->value;
	out->core = raw->core;
	r = adopt_orphans(tracer);
	return r ? r : 1;
}

static int live_stop(struct rfs_task *task, const struct rfs_raw *raw, struct rfs_stop *out)
{
	switch (raw->kind) {
	case RFS_RAW_TRAP:
		return trap_stop(task, out);
	case RFS_RAW_SIGNAL:
		return signal_stop(task, out);
	case RFS_RAW_SECCOMP:
		return seccomp_stop(task, out);
	case RFS_RAW_SYSCALL:
		return simple_stop(task, RFS_STOP_SYSCALL_EXIT, out);
	case RFS_RAW_CLONE:
	case RFS_RAW_FORK:
	case RFS_RAW_VFORK:
		return maker_stop(task, out);
	case RFS_RAW_VFORK_DONE:
		out->message = event_message(task);
		return simple_stop(task, RFS_STOP_VFORK_DONE, out);
	case RFS_RAW_EXEC:
		return rfs_exec_present(task);
	case RFS_RAW_EXIT:
		return exit_stop(task, out);
	case RFS_RAW_STOP:
		if (!task->announced)
			return first_stop(task, 0, out);
		return simple_stop(task, RFS_STOP_INTERRUPT, out);
	case RFS_RAW_GROUP:
		if (!task->announced)
			return first_stop(task, raw->value, out);
		out->status = raw->value;
		return simple_stop(task, RFS_STOP_GROUP, out);
	case RFS_RAW_UNKNOWN:
	case RFS_RAW_EXITED:
	case RFS_RAW_KILLED:
		break;
	}
	rfs_task_let_go(task, PTRACE_CONT);
	return 0;
}

/* Handles a stop after rfs_tracer_kill(): kills the task, because it may have been made meanwhile. Only ends are still
 * presented. */
static int doom(struct rfs_tracer *tracer, struct rfs_task *task, pid_t tid)
{
	if (!task)
		task = rfs_task_new(tracer, tid);
	if (!task)
		return -ENOMEM;
	task->held = false;
	kill(tid, SIGKILL);
	rfs_task_let_go(task, PTRACE_CONT);
	return 0;
}

int rfs_event_present(struct rfs_tracer *tracer, pid_t tid, int status, struct rfs_stop *out)
{
	struct rfs_raw raw = rfs_stop_decode(status);
	bool dead = raw.kind == RFS_RAW_EXITED || raw.kind == RFS_RAW_KILLED;
	struct rfs_task *task = tracer->last;
	int r;

	if (tid == tracer->original)
		return 0; /* somebody killed the original, so no more copies can be made, but this copy continues */
	if (!task || task->tid != tid)
		tracer->last = task = rfs_tracer_task(tracer, tid);
	if (tracer->killing && !dead)
		return doom(tracer, task, tid);
	if (tracer->killing && !task)
		return 0;
	if (!task)
		task = rfs_task_new(tracer, tid);
	if (!task)
		return -ENOMEM;
	if (!task->space && !tracer->killing) {
		task->held = true;
		task->held_status = status;
		task->state = RFS_TASK_STOPPED;
		return 0;
	}
	*out = (struct rfs_stop){.task = task};
	if (dead)
		return death(task, &raw, out);
	task->state = RFS_TASK_STOPPED;
	task->passing = task->inside = 0;
	rfs_task_invalidate(task);
	r = live_stop(task, &raw, out);
	if (r == 1) {
		task->stepping = false;
		task->kind = out->kind;
	}
	return r;
}

bool rfs_event_give(const struct rfs_stop *stop)
{
	struct rfs_task *task = stop->task;

	if (stop->kind == RFS_STOP_EXITED || stop->kind == RFS_STOP_KILLED)
		return true;
	if (task->state != RFS_TASK_STOPPED)
		return false;
	if (task->tracer->killing) {
		rfs_task_let_go(task, PTRACE_CONT);
		return false;
	}
	task->kind = stop->kind;
	return true;
}
