/*
 * The registers of a stopped task. They are read once for each stop, and written back at resume if they were changed.
 */
#include "tracer/process/regs-priv.h"

#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "disasm/addr.h"
#include "tracer/process/task-priv.h"
#include "tracer/tracer.h"

const struct user_regs_struct *rfs_task_regs(struct rfs_task *task)
{
	if (!task->regs_valid) {
		if (task->state != RFS_TASK_STOPPED || ptrace(PTRACE_GETREGS, task->tid, 0, &task->regs))
			memset(&task->regs, 0, sizeof(task->regs));
		task->regs_valid = true;
	}
	return &task->regs;
}

struct user_regs_struct *rfs_task_regs_mut(struct rfs_task *task)
{
	rfs_task_regs(task);
	task->regs_dirty = true;
	return &task->regs;
}

void rfs_task_set_rip(struct rfs_task *task, rfs_addr rip)
{
	rfs_task_regs(task);
	task->regs.rip = rip;
	task->rip_dirty = true;
}

int rfs_task_flush(struct rfs_task *task)
{
	long r = 0;

	if (task->regs_dirty)
		r = ptrace(PTRACE_SETREGS, task->tid, 0, &task->regs);
	else if (task->rip_dirty)
		r = ptrace(PTRACE_POKEUSER, task->tid, offsetof(struct user_regs_struct, rip), task->regs.rip);
	task->regs_dirty = task->rip_dirty = false;
	return r ? -ESRCH : 0;
}

void rfs_task_invalidate(struct rfs_task *task)
{
	task->regs_valid = task->regs_dirty = task->rip_dirty = false;
	task->xstate_valid = false;
}

void rfs_task_answer_syscall(struct rfs_task *task, long result)
{
	struct user_regs_struct *regs = rfs_task_regs_mut(task);

	regs->orig_rax = ~0ull;
	regs->rax = (unsigned long)result;
}

void rfs_task_restart_syscall(struct rfs_task *task)
{
	struct user_regs_struct *regs = rfs_task_regs_mut(task);

	/* rip goes back by two bytes, the length of both syscall and int 0x80. orig_rax -1 skips the call now. rax is
	 * the call's number, for when the task makes it again */
	regs->rax = regs->orig_rax;
	regs->rip -= 2;
	regs->orig_rax = ~0ull;
}

/* The x87 and SSE registers of a stopped task, in the layout of FXSAVE (Intel SDM volume 1, section 10.5.1). */
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

/* Offsets in what PTRACE_GETREGSET gives: the standard (non-compacted) format of Intel SDM volume 1, section 13.4. */
enum {
	XSTATE_XMM = 160,    /* 16 registers of 16 bytes, in the legacy area */
	XSTATE_HEADER = 512, /* field XSTATE_BV: which components are not in their initial state */
	XSTATE_MAX = 16384,  /* not an offset but a size, above the 11 KiB of all components known today, AMX tiles
				included */
};
enum xstate_component {
	COMPONENT_SSE = 1,
	COMPONENT_AVX = 2,
	COMPONENT_MASK = 5,
	COMPONENT_ZMM_HIGH = 6,
	COMPONENT_ZMM_16 = 7
};

static int read_xstate(struct rfs_task *task)
{
	struct iovec iov;

	if (task->xstate_valid)
		return 0;
	if (!task->xstate)
		task->xstate = malloc(XSTATE_MAX);
	if (!task->xstate)
		return -ENOMEM;
	memset(task->xstate, 0, XSTATE_MAX);
	iov.iov_base = task->xstate;
	iov.iov_len = XSTATE_MAX;
	if (task->state != RFS_TASK_STOPPED || ptrace(PTRACE_GETREGSET, task->tid, NT_X86_XSTATE, &iov))
		return -ESRCH;
	task->xstate_valid = true;
	return 0;
}

/* Copies element n of a component, which has `size` bytes. Copies zeroes if the CPU lacks the component, or if the
 * component is in its initial state. */
static void component(const unsigned char *xstate, enum xstate_component which, int n, size_t size, unsigned char *out)
{
	unsigned int length, offset, ecx, edx;
	uint64_t present;

	memcpy(&present, xstate + XSTATE_HEADER, sizeof(present));
	memset(out, 0, size);
	if (!(present >> which & 1))
		return;
	if (which == COMPONENT_SSE) {
		memcpy(out, xstate + XSTATE_XMM + 16ul * (size_t)n, size);
		return;
	}
	if (!__get_cpuid_count(0xd, which, &length, &offset, &ecx, &edx) || (size_t)(n + 1) * size > length ||
	    offset + length > XSTATE_MAX)
		return;
	memcpy(out, xstate + offset + (size_t)n * size, size);
}

int rfs_task_vector(struct rfs_task *task, int n, bool mask, void *out)
{
	unsigned char *bytes = out;
	int r = read_xstate(task);

	if (r)
		return r;
	if (n < 0 || n >= (mask ? 8 : 32))
		return -EINVAL;
	if (mask) {
		component(task->xstate, COMPONENT_MASK, n, 8, bytes);
	} else if (n >= 16) {
		component(task->xstate, COMPONENT_ZMM_16, n - 16, 64, bytes);
	} else {
		component(task->xstate, COMPONENT_SSE, n, 16, bytes);
		component(task->xstate, COMPONENT_AVX, n, 16, bytes + 16);
		component(task->xstate, COMPONENT_ZMM_HIGH, n, 32, bytes + 32);
	}
	return 0;
}

void rfs_task_set_siginfo(struct rfs_task *task, const siginfo_t *info)
{
	/* this fails only if the task is gone, and its end is reported */
	(void)ptrace(PTRACE_SETSIGINFO, task->tid, 0, info);
}
