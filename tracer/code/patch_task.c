/*
 * Tasks that execute patched code. At a stop, a task is moved out of its stub, so that the stop shows the program's own
 * state. When the task is resumed, it is moved into the stub again.
 */
#include "tracer/code/patch_task-priv.h"

#include <signal.h>

#include "disasm/addr.h"
#include "disasm/insn/insn.h"
#include "disasm/rewrite/plan.h"
#include "disasm/rewrite/stub.h"
#include "tracer/code/patch-priv.h"
#include "tracer/code/space_code-priv.h"
#include "tracer/memory.h"
#include "tracer/places/arena-priv.h"
#include "tracer/places/space_places-priv.h"
#include "tracer/places/stub_buffer-priv.h"
#include "tracer/process/regs-priv.h"
#include "tracer/process/space-priv.h"
#include "tracer/process/task-priv.h"
#include "tracer/process/tracer-priv.h"

/* Builds the stub of a patch again, with its marks. Marks are rarely needed, so they are not kept. */
static const struct rfs_stub *rebuild(struct rfs_space *space, const struct rfs_patch *patch)
{
	const struct rfs_plan_group *group = patch->group;
	struct rfs_insn insns[RFS_STUB_INSNS];
	bool logged[RFS_STUB_INSNS];
	size_t at = 0;

	for (unsigned i = 0; i < group->n_insns; i++) {
		if (rfs_insn_decode(space->tracer->decoder, patch->original + at, group->length - at, patch->start + at,
				    &insns[i]))
			return NULL;
		logged[i] = group->logged >> i & 1;
		at += insns[i].length;
	}
	return rfs_stub_build(insns, group->n_insns, logged, &group->call, (enum rfs_stub_filter)group->filter,
			      &space->code->patches->stub)
		       ? NULL
		       : &space->code->patches->stub;
}

/* Whether the task has executed the trap of the stub, but is stopped by an interrupt. The trap is then reported next.
 * */
static bool is_about_to_stop(struct rfs_task *task, const struct rfs_patch *patch)
{
	unsigned long pending = 0;

	if (!patch->group->stop_at || rfs_task_regs(task)->rip != patch->stub + patch->group->stop_at + 1)
		return false;
	return rfs_task_queued_signals(task, &pending) == 0 && (pending >> (SIGTRAP - 1) & 1);
}

/* The same for a task that is on a ledge: nothing of the group has run. */
static bool leave_ledge(struct rfs_task *task)
{
	const struct rfs_patch *patch = rfs_patch_of_ledge(task->space, rfs_task_regs(task)->rip);

	if (!patch || rfs_patch_is_inside(task->space, rfs_task_regs(task)->rip))
		return false;
	rfs_task_set_rip(task, patch->start);
	task->inside = 0;
	return true;
}

bool rfs_patch_leave(struct rfs_task *task, bool fault)
{
	struct rfs_space *space = task->space;
	rfs_addr rip = rfs_task_regs(task)->rip;
	const struct rfs_patch *patch;
	const struct rfs_stub *stub;

	if (!space->places->arenas || !task->stub->control)
		return false;
	if (!rfs_arena_holds(space, rip))
		return leave_ledge(task);
	patch = rfs_patch_of_stub(space, rip);
	if (patch && !fault && is_about_to_stop(task, patch))
		return false;
	stub = patch ? rebuild(space, patch) : NULL;
	if (!stub ||
	    !rfs_stub_leave(stub, patch->stub, patch->start, fault, rfs_task_regs_mut(task), task->stub->control))
		return false;
	task->inside = rfs_task_regs(task)->rip != patch->start ? rfs_task_regs(task)->rip : 0;
	/* the breakpoint was presented before, for the stub's trap, and the task has executed nothing since */
	if (!task->inside && stub->stop_at && rip > patch->stub + stub->stop_at)
		task->passing = patch->start;
	return true;
}

/* The index of the patch's instruction that begins at address. n_insns if there is none. */
static size_t insn_at(const struct rfs_patch *patch, rfs_addr address)
{
	rfs_addr at = patch->start;
	size_t i = 0;

	while (i < patch->group->n_insns && at < address)
		at += patch->group->lengths[i++];
	return at == address ? i : patch->group->n_insns;
}

bool rfs_patch_insn(const struct rfs_space *space, rfs_addr address, struct rfs_insn *out)
{
	const struct rfs_patch *patch = rfs_patch_find(space, address);

	if (!patch || insn_at(patch, address) == patch->group->n_insns)
		return false;
	return rfs_insn_decode(space->tracer->decoder, patch->original + (address - patch->start),
			       patch->start + patch->group->length - address, address, out) == 0;
}

void rfs_patch_enter(struct rfs_task *task)
{
	struct rfs_space *space = task->space;
	rfs_addr rip = rfs_task_regs(task)->rip;
	const struct rfs_patch *patch = task->inside == rip && task->stub->control ? rfs_patch_find(space, rip) : NULL;
	const struct rfs_stub *stub;

	task->inside = 0;
	if (!patch || rip == patch->start || insn_at(patch, rip) == patch->group->n_insns)
		return;
	stub = rebuild(space, patch);
	if (stub)
		rfs_stub_enter(stub, patch->stub, insn_at(patch, rip), rfs_task_regs_mut(task), task->stub->control);
}

static int patch_task_machine_read(void *space, rfs_addr address, void *buf, size_t n)
{
	return rfs_space_read(space, address, buf, n);
}

bool rfs_patch_tell(struct rfs_task *task, const struct rfs_insn *insn)
{
	const struct rfs_patch *patch = rfs_patch_find(task->space, insn->vaddr);
	struct rfs_stub_record records[RFS_STUB_OPERANDS];
	const struct rfs_machine machine = {
		.regs = rfs_task_regs(task), .read = patch_task_machine_read, .arg = task->space};
	const struct rfs_stub_call *call;
	uint64_t number;
	size_t at = 0, index;

	/* an execution of a hot statement that was counted has no record */
	if (!patch || !task->stub->control || patch->group->filter >= RFS_STUB_PASS)
		return true;
	index = insn_at(patch, insn->vaddr);
	if (index == patch->group->n_insns || !(patch->group->logged >> index & 1))
		return true;
	number = patch->first;
	for (size_t i = 0; i < index; i++) {
		struct rfs_insn before;
		struct rfs_stub_operand operands[RFS_STUB_OPERANDS];

		if (patch->group->logged >> i & 1 &&
		    !rfs_insn_decode(task->space->tracer->decoder, patch->original + at, patch->group->length - at,
				     patch->start + at, &before))
			number += rfs_stub_operands(&before, rfs_stub_call_of(&patch->group->call, i), operands);
		at += patch->group->lengths[i];
	}
	call = rfs_stub_call_of(&patch->group->call, index);
	if (call && call->n_tests)
		return true; /* no record, because this call stops at its breakpoint, or has stopped there before */
	return rfs_stub_buffer_add(task, records, rfs_stub_records(insn, call, &machine, number, records));
}
