/* thread_end.c - what a thread leaves behind. */
#include "supervisor/state/operations/thread_end.h"

#include "disasm/addr.h"
#include "supervisor/model/lock.h"
#include "supervisor/model/memory.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/operation.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/shared_things.h"
#include "supervisor/state/operations/thread_stacks.h"

static bool is_robust(const struct rfs_model_memory *memory, const struct rfs_thread *thread,
		      const struct rfs_hold *hold)
{
	struct rfs_lock_state state;

	return hold->kind == RFS_OP_LOCK && rfs_lock_look(memory, thread->tid, RFS_LOCK_MUTEX, hold->lock, &state) &&
	       state.robust;
}

struct rfs_op rfs_thread_end(struct rfs_run *run, const struct rfs_thread *thread)
{
	const struct rfs_model_memory memory = rfs_target_memory(run);
	struct rfs_op op = rfs_op_make(RFS_OP_EXIT, thread->next.site, 0);

	if (rfs_shared_noted(run->spec) || (run->spec->plan.order && run->spec->plan.order->stacks))
		rfs_thread_stack_leaves(run, thread, &op);
	for (size_t i = 0; i < thread->sync.n_holds; i++) {
		if (!is_robust(&memory, thread, &thread->sync.holds[i]))
			continue;
		run->result->shares_calls |= op.object2 && rfs_shared_noted(run->spec);
		op.object2 = thread->sync.holds[i].lock;
	}
	return op;
}
