#include "supervisor/state/park.h"

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/run/stopless_locks.h"
#include "supervisor/state/deadlock.h"
#include "supervisor/state/events.h"
#include "supervisor/state/evidence.h"
#include "supervisor/state/run_observer.h"
#include "supervisor/state/run_result.h"
#include "supervisor/state/run_spec.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/target_memory.h"
#include "supervisor/state/thread.h"
#include "supervisor/state/virtual_time.h"
#include "tracer/tracer.h"

struct rfs_op rfs_op_make(enum rfs_op_kind kind, rfs_site site, rfs_addr object)
{
	return (struct rfs_op){.kind = kind, .peer = -1, .site = site, .object = object};
}

void rfs_park(struct rfs_run *run, struct rfs_thread *thread, struct rfs_op op, rfs_ready_fn ready, rfs_go_fn go)
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
	if (!(ready(run, thread) & RFS_THREAD_ENABLED) && rfs_deadlock_cycle(run, thread))
		return;
}

void rfs_let_run(struct rfs_run *run, struct rfs_thread *thread, enum rfs_resume how, int signo)
{
	thread->state = RFS_STATE_RUNNING;
	thread->deadline = RFS_NEVER;
	run->running = thread;
	if (run->observer) {
		run->observer->resumes(run, thread, &how, &signo);
		if (run->ended)
			return; /* the debugger gave the run up: nothing of the target runs any more */
	}
	rfs_stopless_lend(run, thread);
	rfs_target_memory_forget(run);
	/* A task that is gone tells so by its last stop. */
	(void)!rfs_task_resume(thread->task, how, signo);
}

void rfs_proceed(struct rfs_run *run, struct rfs_thread *thread)
{
	if (run->running && run->running != thread) {
		/* Came out of the kernel while another one runs: waits for its turn. */
		rfs_park(run, thread, rfs_op_make(RFS_OP_SYSCALL, 0, 0), rfs_ready_always, rfs_go_proceed);
		return;
	}
	rfs_let_run(run, thread, RFS_RESUME_RUN, 0);
}

unsigned rfs_ready_always(struct rfs_run *run, struct rfs_thread *thread)
{
	(void)run;
	(void)thread;
	return RFS_THREAD_ENABLED;
}

void rfs_go_proceed(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_proceed(run, thread);
}
