/* same_vptr.c - reads the store and the symbol that it stores, and compares it with what the object has. */
#include "supervisor/access/same_vptr.h"

#include <stdint.h>

#include "disasm/addr.h"
#include "disasm/insn/insn.h"
#include "disasm/insn/insn_store.h"
#include "policy/policy.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "tracer/breakpoint.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

/* Whether the address is in a table of functions: read-only, and the first word points to code. */
static bool is_vtable(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr address)
{
	struct rfs_space *space = rfs_task_space(thread->task);
	struct rfs_mapping mapping;
	rfs_addr function;

	return address % sizeof(function) == 0 && rfs_space_mapping(space, address, &mapping) && !mapping.write &&
	       rfs_peek(run, address, &function, sizeof(function)) && rfs_space_mapping(space, function, &mapping) &&
	       mapping.exec;
}

static bool stores_same_vptr(const struct rfs_run *run, const struct rfs_thread *thread)
{
	const struct rfs_op *op = &thread->next;
	const struct user_regs_struct *regs;
	const struct rfs_insn *insn;
	uint64_t value, there;

	if (op->kind != RFS_OP_ACCESS || !(op->access & RFS_ACCESS_WRITE) || op->size != sizeof(value) ||
	    !thread->access.breakpoint)
		return false;
	insn = rfs_breakpoint_insn(thread->access.breakpoint);
	regs = rfs_task_regs(thread->task);
	return insn && rfs_insn_stored(insn, regs, &value) && rfs_mem_address(&insn->mem[0], 0, regs) == op->object &&
	       rfs_peek(run, op->object, &there, sizeof(there)) && there == value && is_vtable(run, thread, value);
}

bool rfs_race_is_of_same_vptr(const struct rfs_run *run, const struct rfs_choice *choice)
{
	for (int i = 0; i < 2; i++)
		if (choice->race[i] >= 0 && (size_t)choice->race[i] < run->n_threads &&
		    run->threads[choice->race[i]]->state == RFS_STATE_PARKED &&
		    stores_same_vptr(run, run->threads[choice->race[i]]))
			return true;
	return false;
}
