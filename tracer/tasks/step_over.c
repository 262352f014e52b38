/*
 * Executes the instruction under a breakpoint without removing the breakpoint. An instruction that does nothing is
 * skipped, and a control transfer is emulated. Any other instruction runs from its slot. If none of these is possible,
 * the instruction is stepped in place.
 */
#include "tracer/tasks/step_over-priv.h"

#include <signal.h>
#include <sys/ptrace.h>

#include "disasm/addr.h"
#include "disasm/insn/insn.h"
#include "tracer/code/breakpoint-priv.h"
#include "tracer/code/breakpoint_table-priv.h"
#include "tracer/code/closed_code-priv.h"
#include "tracer/code/patch-priv.h"
#include "tracer/code/patch_task-priv.h"
#include "tracer/memory.h"
#include "tracer/places/slot-priv.h"
#include "tracer/process/queue-priv.h"
#include "tracer/process/regs-priv.h"
#include "tracer/process/stop-priv.h"
#include "tracer/process/task-priv.h"
#include "tracer/tasks/step-priv.h"
#include "tracer/tracer.h"

static int step_over_read_memory(void *arg, rfs_addr address, void *buf, size_t n)
{
	return rfs_space_read(arg, address, buf, n);
}

static int step_over_write_memory(void *arg, rfs_addr address, const void *buf, size_t n)
{
	return rfs_space_write(arg, address, buf, n);
}

/* The instruction has been executed, and the task is stopped. If the caller requested a step, queues the stop for it.
 * */
static enum rfs_passed step_over_done(struct rfs_task *task, int request)
{
	struct rfs_stop stop = {.kind = RFS_STOP_STEP, .task = task};

	task->passing = 0;
	if (request != PTRACE_SINGLESTEP)
		return RFS_PASSED_READY;
	stop.address = rfs_task_regs(task)->rip;
	return rfs_queue_stop(task->tracer, &stop) ? RFS_PASSED_GONE : RFS_PASSED_STOP;
}

/* Emulates insn. False if it needs memory that cannot be accessed: then the real instruction must run and fault. */
static bool emulate(struct rfs_task *task, const struct rfs_insn *insn, rfs_addr address)
{
	const struct rfs_memory memory = {
		.read = step_over_read_memory, .write = step_over_write_memory, .arg = task->space};
	struct user_regs_struct regs = *rfs_task_regs(task);
	bool only_rip;

	if (rfs_insn_emulate(insn, address, &regs, &memory))
		return false;
	/* only rip changes in a jump; loop also changes rcx, and a call or return changes rsp */
	only_rip = regs.rsp == task->regs.rsp && regs.rcx == task->regs.rcx;
	if (only_rip)
		rfs_task_set_rip(task, regs.rip);
	else
		*rfs_task_regs_mut(task) = regs;
	return true;
}

/*
 * Handles the target's own int3 under one of our breakpoints. The task is already in a signal-delivery stop of SIGTRAP,
 * and gets that signal.
 */
static enum rfs_passed step_over_trap(struct rfs_task *task, const struct rfs_breakpoint *breakpoint)
{
	struct rfs_stop stop = {.kind = RFS_STOP_SIGNAL, .task = task};

	task->passing = 0;
	rfs_task_set_rip(task, breakpoint->address + breakpoint->insn->length);
	stop.address = task->regs.rip;
	stop.info.si_signo = SIGTRAP;
	stop.info.si_code = SI_KERNEL;
	return rfs_queue_stop(task->tracer, &stop) ? RFS_PASSED_GONE : RFS_PASSED_STOP;
}

static enum rfs_passed step_over_step(struct rfs_task *task, const struct rfs_breakpoint *breakpoint, int request)
{
	int status;

	task->passing = 0;
	if (rfs_step_in_place(task, breakpoint, &status))
		return RFS_PASSED_GONE;
	rfs_task_invalidate(task);
	if (rfs_stop_decode(status).kind == RFS_RAW_TRAP)
		return step_over_done(task, request);
	/* a fault, or a signal that arrived first: its stop is presented like any other */
	task->state = RFS_TASK_RUNNING;
	return rfs_queue_raw(task->tracer, task->tid, status) ? RFS_PASSED_GONE : RFS_PASSED_STOP;
}

/* The task executes the instruction where it is. Nothing stops it there. */
static enum rfs_passed in_place(struct rfs_task *task)
{
	task->passing = 0;
	return RFS_PASSED_READY;
}

enum rfs_passed rfs_breakpoint_pass(struct rfs_task *task, int *request)
{
	struct rfs_breakpoint *breakpoint = rfs_breakpoint_at(task->space, task->passing);

	/* there is nothing to pass: the breakpoint was removed meanwhile, or this is a trampoline */
	if (!breakpoint)
		return RFS_PASSED_READY;
	if (breakpoint->guarded) {
		task->passing = 0;
		rfs_task_set_rip(task, rfs_patch_passed(task->space, breakpoint->address));
		return RFS_PASSED_READY;
	}
	if (breakpoint->is_fault) {
		if (rfs_code_let(task, breakpoint->address, false))
			return in_place(task);
		rfs_breakpoint_renew(breakpoint);
	}
	rfs_breakpoint_look(breakpoint);
	switch (breakpoint->pass) {
	case RFS_PASS_SKIP:
		rfs_task_set_rip(task, breakpoint->address + breakpoint->insn->length);
		return step_over_done(task, *request);
	case RFS_PASS_EMULATE:
		if (emulate(task, breakpoint->insn, breakpoint->address))
			return step_over_done(task, *request);
		break;
	case RFS_PASS_TRAP:
		return step_over_trap(task, breakpoint);
	case RFS_PASS_COPY:
		if (!breakpoint->slot)
			breakpoint->slot = rfs_slot_get(task, breakpoint->insn);
		if (task->state != RFS_TASK_STOPPED)
			return RFS_PASSED_GONE;
		if (!breakpoint->slot) {
			breakpoint->pass = RFS_PASS_STEP;
			break;
		}
		task->passing = 0;
		rfs_task_set_rip(task, rfs_slot_address(breakpoint->slot));
		return RFS_PASSED_READY;
	case RFS_PASS_STEP:
		break;
	}
	if (rfs_code_let(task, breakpoint->address, true) && breakpoint->is_fault)
		return in_place(task);
	return step_over_step(task, breakpoint, *request);
}

/* Does not step through the stub, because that would take many steps, all at the same address of the program. */
enum rfs_passed rfs_patch_pass(struct rfs_task *task, const struct rfs_insn *insn, int *request)
{
	struct rfs_slot *slot = NULL;
	bool told = rfs_patch_tell(task, insn);

	task->passing = task->inside = 0;
	if (told && insn->flow != RFS_FLOW_NEXT)
		return emulate(task, insn, insn->vaddr) ? step_over_done(task, *request) : RFS_PASSED_READY;
	if (told)
		slot = rfs_slot_get(task, insn);
	if (task->state != RFS_TASK_STOPPED)
		return RFS_PASSED_GONE;
	if (slot) {
		rfs_task_set_rip(task, rfs_slot_address(slot));
	} else {
		task->inside = insn->vaddr;
		rfs_patch_enter(task);
	}
	return RFS_PASSED_READY;
}
