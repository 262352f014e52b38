/* thread_ends.c - the ends of threads, and of the process. */
#include "supervisor/run/stops/thread_ends.h"

#include <signal.h>
#include <time.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/access/stubs.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/descriptors/kernel_hb.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/signals/signal_calls.h"
#include "supervisor/kernel/signals/timers.h"
#include "supervisor/record/run_result.h"
#include "supervisor/run/stops/resume.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/misuse.h"
#include "supervisor/sync/futex.h"
#include "tracer/tracer.h"

static bool is_leader(const struct rfs_task *task)
{
	return rfs_task_tid(task) == rfs_task_pid(task);
}

/* How many other threads of its process are alive. */
static size_t others_of(const struct rfs_run *run, const struct rfs_thread *thread)
{
	size_t n = 0;

	for (size_t i = 0; i < run->n_threads; i++)
		n += run->threads[i] != thread && run->threads[i]->process == thread->process &&
		     run->threads[i]->state != RFS_STATE_ENDED;
	return n;
}

/* All threads of a process that is not the program are about to end. No choice is made before they are gone. */
static void process_ends(struct rfs_run *run, const struct rfs_thread *thread)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		struct rfs_thread *t = run->threads[i];

		if (t->process != thread->process || !t->task || t->leaves)
			continue;
		t->leaves = true;
		run->loop.leaving++;
		rfs_thread_ended(run, t);
	}
}

void rfs_thread_left(struct rfs_run *run, struct rfs_thread *thread)
{
	run->loop.leaving -= thread->leaves;
	thread->leaves = false;
}

/* how: the way in which the task is resumed, from its exit event or from its call of exit(2). */
static void thread_ends_exit(struct rfs_run *run, struct rfs_thread *thread, bool alone, enum rfs_resume how)
{
	const bool leader = is_leader(thread->task);
	rfs_addr robust[64];
	size_t n_robust = alone ? rfs_futex_robust_list(run, thread, robust, 64) : 0;
	const size_t others = others_of(run, thread);

	if (!thread->process && (!alone || others == 0))
		rfs_gdb_exiting(run, thread);
	if (run->ended)
		return;
	if (!alone || n_robust)
		rfs_futex_robust_to_kernel(thread->task, thread->tid, true);
	rfs_futex_robust_died(run, thread, robust, n_robust);
	if (!alone && thread->process)
		process_ends(run, thread);
	else if (!alone)
		run->loop.dying = true;
	if (rfs_resume_beside(thread->task, how, 0) != 0)
		return;
	if (!alone || !leader || others == 0) {
		if (alone && n_robust)
			rfs_futex_thread_gone(run, 0, robust, n_robust);
		return;
	}
	/*
	 * The kernel reports the leader's exit only after the last thread has ended. Wait until the leader is a
	 * zombie, because the kernel has then cleared the leader's clear_tid word.
	 */
	while (rfs_task_state(thread->task) != 'Z' && rfs_task_state(thread->task) != 0)
		nanosleep(&(struct timespec){0, 20000}, NULL);
	rfs_futex_thread_gone(run, thread->clear_tid, robust, n_robust);
	rfs_thread_ended(run, thread);
}

void rfs_thread_exits(struct rfs_run *run, struct rfs_thread *thread, bool alone)
{
	thread_ends_exit(run, thread, alone, RFS_RESUME_RUN);
}

bool rfs_thread_leaves(struct rfs_run *run, struct rfs_thread *thread)
{
	const pid_t leader = rfs_task_pid(thread->task);
	bool led = false;

	/* once the leader has ended, the exit events of the others are when the CPU time of the process is read */
	for (size_t i = 0; i < run->n_threads && !led; i++)
		led = run->threads[i]->task && run->threads[i]->state != RFS_STATE_ENDED &&
		      rfs_task_tid(run->threads[i]->task) == leader;
	if (!led || rfs_task_tid(thread->task) == leader || run->observer || run->stores)
		return false;
	/* campaigns compare the costs of runs in stops, so the exit event counts although it is left out */
	run->result->counts.stops++;
	thread_ends_exit(run, thread, true, RFS_RESUME_LAST);
	return true;
}

void rfs_thread_gone(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	bool replaced = stop->kind == RFS_STOP_EXITED && stop->message;
	bool leader = !replaced && rfs_task_tid(stop->task) == rfs_tracer_pid(run->tracer);
	const bool last = thread->process && others_of(run, thread) == 0;

	if (stop->kind == RFS_STOP_KILLED && !thread->process)
		run->loop.dying = true;
	if (thread->process)
		rfs_call_drop_fds(thread); /* a kill has ended its call */
	rfs_thread_left(run, thread);
	if (last) {
		/* before its parent, which waits for it, can learn of its end */
		rfs_kernel_hb_tells(run, thread);
		run->signals = true; /* SIGCHLD */
		if (is_leader(stop->task))
			rfs_timers_ended(run, rfs_task_pid(stop->task));
	}
	if (thread->task == stop->task) {
		rfs_thread_ended(run, thread);
		rfs_futex_thread_gone(run, thread->clear_tid, NULL, 0);
		thread->task = NULL;
	}
	if (!replaced)
		rfs_pids_gone(run, rfs_task_tid(stop->task));
	if (leader)
		rfs_stubs_check_table(run, stop->task);
	rfs_task_forget(stop->task);
	/* a run that nobody in it has ended says nothing about its schedule */
	if (leader && stop->kind == RFS_STOP_KILLED && stop->status == SIGKILL && !rfs_signal_kills(run))
		rfs_run_uncontrolled(run, "the program was killed from outside (SIGKILL), by a user or because memory "
					  "was exhausted");
	if (leader && stop->kind == RFS_STOP_EXITED && stop->status == 0 && !run->ended)
		rfs_misuse_end(run);
	if (leader)
		rfs_run_end(run, stop->kind == RFS_STOP_EXITED ? RFS_END_EXIT : RFS_END_SIGNAL, stop->status);
}
