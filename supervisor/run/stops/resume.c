/* resume.c - the one place that resumes the tasks of the target. */
#include "supervisor/run/stops/resume.h"

#include "supervisor/access/hot_statements.h"
#include "supervisor/access/store_buffers.h"
#include "supervisor/access/stubs.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/run/stops/handlers.h"
#include "supervisor/run/stops/quiesce.h"
#include "supervisor/run/stops/stopless_locks.h"
#include "supervisor/run/stops/thread_ends.h"
#include "supervisor/state/core/run_observer.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/operations/park.h"
#include "tracer/tracer.h"

static void set_running(struct rfs_run *run, struct rfs_thread *thread)
{
	thread->state = RFS_STATE_RUNNING;
	thread->deadline = RFS_NEVER;
	thread->sync.wait = (struct rfs_wait){0};
	run->running = thread;
}

/* Makes the thread the running thread and resumes it. signo: the signal to deliver; 0: none. */
static void let_run(struct rfs_run *run, struct rfs_thread *thread, enum rfs_resume how, int signo)
{
	set_running(run, thread);
	if (run->observer) {
		run->observer->resumes(run, thread, &how, &signo);
		if (run->ended)
			return; /* the debugger gave up the run: the target is not resumed any more */
	}
	how = rfs_stores_resume(run, thread, how, signo);
	rfs_stopless_lend(run, thread);
	rfs_stubs_filter(run, thread);
	rfs_hot_lend(run, thread);
	rfs_target_memory_forget(run);
	/* An error can be ignored: if the task is gone, its last stop will report that. */
	(void)!rfs_task_resume(thread->task, how, signo);
}

/* Resumes the thread into a call that may block. No other thread runs until this thread has returned or sleeps. */
static void let_sleep(struct rfs_run *run, struct rfs_thread *thread)
{
	rfs_stores_flush(run, thread);
	thread->state = RFS_STATE_KERNEL;
	thread->deadline = RFS_NEVER;
	thread->call->retry = false;
	if (run->running == thread)
		run->running = NULL;
	if (rfs_task_resume(thread->task, RFS_RESUME_SYSCALL, 0) == 0)
		run->loop.falls_asleep = thread;
}

enum rfs_then rfs_resume(struct rfs_run *run, struct rfs_thread *thread, enum rfs_then then)
{
	if (rfs_handler_is_idle(thread) && thread->handler.last)
		thread = thread->handler.last; /* the handler has just ended */
	switch (then) {
	case RFS_THEN_SETTLE:
		if (rfs_threads_move(run)) {
			run->loop.settling = thread->settles = true;
			break;
		}
		/* fall through */
	case RFS_THEN_EXECUTE:
		/* the thread returned from the kernel while another thread runs */
		if (run->running && run->running != thread)
			return rfs_park_for_turn(run, thread);
		if (thread->handler.follows)
			thread = rfs_handler_follows(run, thread);
		let_run(run, thread, RFS_RESUME_RUN, 0);
		break;
	case RFS_THEN_LEAVE:
		set_running(run, thread);
		rfs_target_memory_forget(run);
		if (!rfs_thread_leaves(run, thread))
			let_run(run, thread, RFS_RESUME_RUN, 0);
		break;
	case RFS_THEN_DELIVER:
		thread = rfs_handler_delivers(run, thread);
		let_run(run, thread, RFS_RESUME_RUN, thread->pending_signo);
		break;
	case RFS_THEN_STOP_AT_EXIT:
		let_run(run, thread, RFS_RESUME_SYSCALL, 0);
		break;
	case RFS_THEN_SLEEP:
		let_sleep(run, thread);
		break;
	case RFS_THEN_STEP:
		if (thread->state == RFS_STATE_PARKED) {
			let_run(run, thread, RFS_RESUME_STEP, 0);
			break;
		}
		if (rfs_task_resume(thread->task, RFS_RESUME_STEP, 0) != 0)
			return RFS_THEN_PARKED;
		break;
	case RFS_THEN_UNDECIDED:
	case RFS_THEN_PARKED:
	case RFS_THEN_END:
		break;
	}
	return then;
}

int rfs_resume_beside(struct rfs_task *task, enum rfs_resume how, int signo)
{
	return rfs_task_resume(task, how, signo);
}
