/*
 * Makes system calls in the target.
 *
 * The task is sent to the gate (trampoline.c): a system call instruction followed by an int3. The int3 ends the call
 * with a signal-delivery stop. When a task continues from such a stop, the kernel looks at rax and orig_rax again.
 * Therefore, if the task was inside an interrupted call before (rax is -ERESTARTSYS or a similar code), the kernel
 * restarts that call after the registers are restored. It does not do so after a system-call-exit stop, and the program
 * would get the raw -ERESTARTSYS.
 */
#include "tracer/process/inject-priv.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "disasm/addr.h"
#include "tracer/process/queue-priv.h"
#include "tracer/process/regs-priv.h"
#include "tracer/process/resume-priv.h"
#include "tracer/process/space-priv.h"
#include "tracer/process/stop-priv.h"
#include "tracer/process/task-priv.h"
#include "tracer/process/wait-priv.h"
#include "tracer/tracer.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* The state of the task before the injected call, which is restored afterwards. */
struct saved {
	struct user_regs_struct regs;
	rfs_addr passing;
	siginfo_t info; /* at RFS_STOP_SIGNAL, RFS_STOP_RDTSC and RFS_STOP_CPUID: the signal */
	bool has_info;
	uint64_t mask;
	bool has_mask;
	bool interrupted, stopped; /* an interrupt, or a SIGSTOP, arrived during the injected call: send it again */
};

/*
 * At an event of clone or a similar call, the task is still inside that system call, which will write its result to
 * rax. This function first continues the task to the exit of the call. Returns 0; -EIO if that is not possible at this
 * stop; -ESRCH; or -ENOMEM.
 */
static int leave_syscall(struct rfs_task *task)
{
	int status, r;

	switch (task->kind) {
	case RFS_STOP_CLONE:
	case RFS_STOP_FORK:
	case RFS_STOP_VFORK_DONE:
		if (task->left_syscall)
			return 0;
		break;
	case RFS_STOP_SYSCALL:
	case RFS_STOP_VFORK: /* the call would wait for the child process */
	case RFS_STOP_GROUP:
	case RFS_STOP_EXITING:
		return -EIO;
	default:
		return 0;
	}
	r = rfs_task_continue(task, PTRACE_SYSCALL, 0);
	if (!r)
		r = rfs_wait_task(task, &status);
	if (r)
		return r;
	rfs_task_invalidate(task);
	task->left_syscall = true;
	if (rfs_stop_decode(status).kind == RFS_RAW_SYSCALL)
		return 0;
	task->state = RFS_TASK_RUNNING;
	r = rfs_queue_raw(task->tracer, task->tid, status);
	return r ? r : -ESRCH;
}

/* Blocks all signals but SIGTRAP until the injected call is over. */
static void block_signals(struct rfs_task *task, struct saved *saved)
{
	uint64_t all = ~(1ull << (SIGTRAP - 1));

	saved->has_mask = !ptrace(PTRACE_GETSIGMASK, task->tid, sizeof(saved->mask), &saved->mask);
	if (saved->has_mask)
		ptrace(PTRACE_SETSIGMASK, task->tid, sizeof(all), &all);
}

/* Lets the task run up to the int3. Returns 0; -ESRCH; or -EIO if the gate no longer exists, or is not executable for
 * this task. */
static int inject_run(struct rfs_task *task, struct saved *saved)
{
	for (;;) {
		struct rfs_raw raw;
		int status, r;

		r = rfs_task_continue(task, PTRACE_CONT, 0);
		if (!r)
			r = rfs_wait_task(task, &status);
		if (r)
			return r;
		raw = rfs_stop_decode(status);
		switch (raw.kind) {
		case RFS_RAW_TRAP:
			return 0;
		case RFS_RAW_EXIT:
			task->state = RFS_TASK_RUNNING;
			r = rfs_queue_raw(task->tracer, task->tid, status);
			return r ? r : -ESRCH;
		case RFS_RAW_SIGNAL:
			/* SIGSTOP cannot be blocked; any other signal is a fault */
			if (raw.value != SIGSTOP)
				return -EIO;
			saved->stopped = true;
			break;
		case RFS_RAW_STOP:
			saved->interrupted = true;
			break;
		default: /* the seccomp filter may stop the injected call */
			break;
		}
	}
}

static void inject_put_back(struct rfs_task *task, const struct saved *saved)
{
	rfs_task_invalidate(task);
	task->regs = saved->regs;
	task->regs_valid = task->regs_dirty = true;
	task->passing = saved->passing;
	if (saved->has_mask)
		ptrace(PTRACE_SETSIGMASK, task->tid, sizeof(saved->mask), &saved->mask);
	if (saved->has_info)
		ptrace(PTRACE_SETSIGINFO, task->tid, 0, &saved->info);
	if (saved->interrupted)
		ptrace(PTRACE_INTERRUPT, task->tid, 0, 0);
	if (saved->stopped)
		kill(task->pid, SIGSTOP);
}

int rfs_task_inject(struct rfs_task *task, long number, const unsigned long args[6], long *result)
{
	struct saved saved = {.passing = task->passing};
	struct user_regs_struct regs;
	rfs_addr gate;
	bool left;
	int r;

	if (task->state != RFS_TASK_STOPPED)
		return -ESRCH;
	gate = task->space->gate;
	if (!gate)
		return -EIO;
	r = leave_syscall(task);
	if (r)
		return r;
	left = task->left_syscall;
	saved.regs = *rfs_task_regs(task);
	if (task->kind == RFS_STOP_SIGNAL || task->kind == RFS_STOP_RDTSC || task->kind == RFS_STOP_CPUID)
		saved.has_info = !ptrace(PTRACE_GETSIGINFO, task->tid, 0, &saved.info);
	block_signals(task, &saved);
	regs = saved.regs;
	regs.rax = (unsigned long)number;
	regs.orig_rax = ~0ull;
	regs.rdi = args[0];
	regs.rsi = args[1];
	regs.rdx = args[2];
	regs.r10 = args[3];
	regs.r8 = args[4];
	regs.r9 = args[5];
	regs.rip = gate;
	*rfs_task_regs_mut(task) = regs;
	r = inject_run(task, &saved);
	if (r && r != -EIO)
		return r;
	rfs_task_invalidate(task);
	*result = (long)rfs_task_regs(task)->rax;
	if (rfs_task_regs(task)->rip != gate + RFS_GATE_END)
		r = -EIO;
	inject_put_back(task, &saved);
	task->left_syscall = left;
	return r;
}

bool rfs_space_map_code(struct rfs_task *task, rfs_addr at, size_t size)
{
	const unsigned long args[6] = {at,
				       size,
				       PROT_READ | PROT_EXEC,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE,
				       (unsigned long)-1,
				       0};
	long result;

	/* spaces with the same root have the same places, so none of them gets one alone */
	if (task->space->root || task->space->kin)
		return false;
	if (rfs_task_inject(task, SYS_mmap, args, &result))
		return false;
	if (result > 0 && (rfs_addr)result != at) {
		/* a kernel before 4.17 ignores MAP_FIXED_NOREPLACE and has chosen another address: unmap it */
		const unsigned long unmap[6] = {(unsigned long)result, size};

		if (rfs_task_inject(task, SYS_munmap, unmap, &result))
			return false;
		return false;
	}
	return result > 0;
}
