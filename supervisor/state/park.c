#include "supervisor/state/park.h"

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/state/deadlock.h"
#include "supervisor/state/events.h"
#include "supervisor/state/evidence.h"
#include "supervisor/state/run_result.h"
#include "supervisor/state/run_spec.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/thread.h"
#include "tracer/tracer.h"

struct rfs_op rfs_op_make(enum rfs_op_kind kind, rfs_site site, rfs_addr object)
{
	return (struct rfs_op){.kind = kind, .peer = -1, .site = site, .object = object};
}

enum rfs_then rfs_park(struct rfs_run *run, struct rfs_thread *thread, struct rfs_op op, rfs_ready_fn ready,
		       rfs_go_fn go)
{
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
			if (run->spec->stood)
				rfs_evidence_reached(run, thread, i);
		}
	if (!(ready(run, thread) & RFS_THREAD_ENABLED))
		(void)rfs_deadlock_cycle(run, thread);
	return RFS_THEN_PARKED;
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

unsigned rfs_ready_always(struct rfs_run *run, struct rfs_thread *thread)
{
	(void)run;
	(void)thread;
	return RFS_THREAD_ENABLED;
}

enum rfs_then rfs_go_on(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	return RFS_THEN_EXECUTE;
}
