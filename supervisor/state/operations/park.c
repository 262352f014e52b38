/* park.c - parks threads at operations, until the policy picks them. */
#include "supervisor/state/operations/park.h"

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/model/memory.h"
#include "supervisor/model/wait.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/findings/deadlock.h"
#include "supervisor/state/findings/evidence.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/order_places.h"
#include "tracer/tracer.h"

static enum rfs_then park(struct rfs_run *run, struct rfs_thread *thread, struct rfs_op op, rfs_ready_fn ready,
			  rfs_go_fn go)
{
	op.statements |= rfs_order_call(run, &op);
	thread->state = RFS_STATE_PARKED;
	thread->next = op;
	thread->lock_class = 0;
	thread->ready = ready;
	thread->go = go;
	if (run->running == thread)
		run->running = NULL;
	for (int i = 0; i < 2; i++)
		if (op.statements & (1u << i)) {
			run->result->reached[i]++;
			if (run->spec->wanted.stood)
				rfs_evidence_reached(run, thread, i);
		}
	if (op.statements && thread->handler.meets)
		rfs_evidence_meet(run, thread);
	if (!(ready(run, thread) & RFS_THREAD_ENABLED))
		(void)rfs_deadlock_cycle(run, thread);
	return RFS_THEN_PARKED;
}

enum rfs_then rfs_park(struct rfs_run *run, struct rfs_thread *thread, struct rfs_op op, rfs_ready_fn ready,
		       rfs_go_fn go)
{
	thread->sync.wait = (struct rfs_wait){0};
	return park(run, thread, op, ready, go);
}

static unsigned ready_wait(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_model_memory memory = rfs_target_memory(run);

	switch (rfs_wait_look(&run->sync, &thread->sync, &memory)) {
	case RFS_WAIT_GOES_ON:
		return rfs_ready_timed(run, false, thread->deadline);
	case RFS_WAIT_OVER:
		return rfs_ready_timed(run, true, thread->deadline);
	case RFS_WAIT_WOKEN:
		return RFS_THREAD_ENABLED;
	case RFS_WAIT_BLOCKED:
		return 0;
	}
	return 0;
}

enum rfs_then rfs_park_until(struct rfs_run *run, struct rfs_thread *thread, struct rfs_op op, struct rfs_wait wait,
			     rfs_go_fn go)
{
	thread->sync.wait = wait;
	thread->sync.wait.timed = thread->deadline != RFS_NEVER;
	return park(run, thread, op, ready_wait, go);
}

enum rfs_then rfs_park_for_turn(struct rfs_run *run, struct rfs_thread *thread)
{
	return rfs_park(run, thread, rfs_op_make(RFS_OP_SYSCALL, 0, 0), rfs_ready_always, rfs_go_on);
}

enum rfs_then rfs_syscall_answer(struct rfs_thread *thread, long result)
{
	rfs_task_answer_syscall(thread->task, result);
	return RFS_THEN_EXECUTE;
}

enum rfs_then rfs_go_on(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	return RFS_THEN_EXECUTE;
}
