/*
 * openmp_lock.c - critical, atomic and OpenMP's locks.
 *
 * Only the model knows who holds such a lock. A thread continues only if the lock is free, so libgomp takes it without
 * a wait. The locks of all critical constructs without a name, and of all atomic constructs, have no address that a
 * call would give: the address of the function that acquires them is used instead.
 */
#include "supervisor/sync/openmp_lock.h"

#include "disasm/addr.h"
#include "policy/detect/lock_graph.h"
#include "policy/policy.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/model/sync.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/sync/hold_stack.h"
#include "supervisor/sync/openmp_layer.h"
#include "supervisor/sync/pthread_lock.h"
#include "tracer/tracer.h"

static struct rfs_op openmp_lock_operation(struct rfs_run *run, struct rfs_thread *thread, enum rfs_op_kind kind,
					   const struct rfs_call *call)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	rfs_addr *known = NULL, object = regs->rdi;

	if (call->param == RFS_OMP_LOCK_CRITICAL)
		known = &rfs_openmp_layer_of(run)->critical;
	else if (call->param == RFS_OMP_LOCK_ATOMIC)
		known = &rfs_openmp_layer_of(run)->atomic;
	if (known && kind == RFS_OP_LOCK)
		*known = regs->rip;
	if (known)
		object = *known;
	return rfs_op_make(kind, rfs_site_of(run, rfs_call_back(run, thread)), object);
}

static enum rfs_then openmp_lock_go_lock(struct rfs_run *run, struct rfs_thread *thread,
					 const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_acquired(run, thread, thread->next.object, RFS_OP_LOCK, 0);
	rfs_keep_hold_stack(run, thread);
	return RFS_THEN_EXECUTE;
}

enum rfs_then rfs_enter_omp_lock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const struct rfs_op op = openmp_lock_operation(run, thread, RFS_OP_LOCK, call);
	const struct rfs_wait wait = {
		.kind = RFS_WAIT_HELD, .object = op.object, .recursive = call->param == RFS_OMP_LOCK_NESTED};

	return rfs_park_until(run, thread, op, wait, openmp_lock_go_lock);
}

static enum rfs_then openmp_lock_go_unlock(struct rfs_run *run, struct rfs_thread *thread,
					   const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_lock_give_up(run, thread, thread->next.object);
	return RFS_THEN_EXECUTE;
}

enum rfs_then rfs_enter_omp_unlock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	return rfs_park(run, thread, openmp_lock_operation(run, thread, RFS_OP_UNLOCK, call), rfs_ready_always,
			openmp_lock_go_unlock);
}

static enum rfs_then openmp_lock_go_trylock(struct rfs_run *run, struct rfs_thread *thread,
					    const struct rfs_choice *choice)
{
	const rfs_addr lock = thread->next.object;
	const bool recursive = thread->args[0] == RFS_OMP_LOCK_NESTED;
	const bool is_free = rfs_sync_holder(&run->sync, lock, recursive ? &thread->sync : NULL) < 0;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (is_free)
		rfs_acquired(run, thread, lock, RFS_OP_LOCK, RFS_LOCK_NEVER_WAITS);
	else
		thread->yielded = true; /* a loop around the call must not starve the holder */
	return RFS_THEN_EXECUTE;
}

enum rfs_then rfs_enter_omp_trylock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	thread->args[0] = (unsigned long)call->param;
	return rfs_park(run, thread, openmp_lock_operation(run, thread, RFS_OP_TRYLOCK, call), rfs_ready_always,
			openmp_lock_go_trylock);
}

/* The memory gets a new life, so nobody holds a lock there. This is no operation. */
enum rfs_then rfs_enter_omp_lock_init(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const rfs_addr lock = rfs_task_regs(thread->task)->rdi;
	int holder;

	(void)call;
	while ((holder = rfs_sync_holder(&run->sync, lock, NULL)) >= 0)
		rfs_released(run, run->threads[holder], lock);
	return RFS_THEN_EXECUTE;
}
