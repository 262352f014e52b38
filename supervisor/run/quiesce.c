/*
 * quiesce.c - before a choice, nobody outside the schedule is at work.
 *
 * Two kinds of tasks run without having been picked: child processes of the target, and threads on their way out of a
 * system call that another one's call ended (blocking.c). What they do may change who can be picked, so that a choice
 * waits until they sleep, have ended, or have come to their exits: then it is a function of the schedule, however
 * loaded the machine is. Only work that never ends is not waited for, and what that means is measured in the CPU time
 * that it takes: on a busy machine seconds may pass before a task that has a microsecond's work left gets a core.
 */
#include "supervisor/run/quiesce.h"

#include <string.h>
#include <sys/syscall.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/kernel/kernel.h"
#include "supervisor/run/follow_run.h"
#include "supervisor/state/run_result.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/thread.h"
#include "tracer/tracer.h"

/* CPU time that children may take before they are left to the machine: more than starting a program and its libraries
 * takes, little against the time limits of a run. */
#define CHILDREN_CPU_SECONDS 0.5
/* Real time for what takes no CPU time: a wait for a disk, or in vfork; stops and ends, which we take when they come.
 */
#define CHILDREN_IDLE_SECONDS 5

void rfs_foreign_seen(struct rfs_run *run, struct rfs_task *task)
{
	if (rfs_task_pid(task) == rfs_tracer_pid(run->tracer))
		return; /* a thread on its way out */
	if (!rfs_tracer_pid(run->tracer) || rfs_follow_is_above(run, rfs_task_pid(task)))
		return; /* what the program does not depend on */
	for (size_t i = 0; i < run->n_foreign; i++)
		if (run->foreign[i].task == task)
			return;
	run->foreign = xreallocarray(run->foreign, run->n_foreign + 1, sizeof(*run->foreign));
	run->foreign[run->n_foreign++] = (struct rfs_foreign){.task = task};
}

void rfs_foreign_gone(struct rfs_run *run, const struct rfs_task *task)
{
	for (size_t i = 0; i < run->n_foreign; i++)
		if (run->foreign[i].task == task)
			run->foreign[i--] = run->foreign[--run->n_foreign];
}

/* A child's first thread that ended before the others: it stays a zombie until they have. */
static bool ended_first(const struct rfs_run *run, const struct rfs_task *task)
{
	for (size_t i = 0; i < run->n_foreign; i++)
		if (run->foreign[i].task != task && rfs_task_pid(run->foreign[i].task) == rfs_task_pid(task))
			return true;
	return false;
}

/* A dead child counts until we have taken its end: only then does the kernel wake the thread that waits for it. */
static bool child_moves(const struct rfs_run *run, const struct rfs_foreign *foreign)
{
	switch (rfs_task_state(foreign->task)) {
	case 'R':
	case 'D':
	case 't':
		return true;
	case 'Z':
		return !ended_first(run, foreign->task);
	default:
		return false;
	}
}

bool rfs_threads_move(const struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];
		char state = t->state == RFS_STATE_KERNEL && t->task && !rfs_kernel_holds_back(t)
				     ? rfs_task_state(t->task)
				     : 'S';

		/* D: wants a page or a lock of the kernel's; in vfork it waits for its child */
		if (state == 'R' || state == 't' || (state == 'D' && t->syscall != SYS_vfork))
			return true;
	}
	return false;
}

/* They take too long, and are left alone until they are seen at rest. */
static void leave_children(struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_foreign; i++) {
		struct rfs_foreign *foreign = &run->foreign[i];

		foreign->loose = foreign->loose || child_moves(run, foreign);
	}
	run->result->outside |= 1u << RFS_NONDET_PROCESSES;
}

/* state: of the waiting so far, zero at first. */
static bool children_move(struct rfs_run *run, struct rfs_quiesce *quiesce)
{
	bool moves = false, runs = false;
	double now, cpu;

	for (size_t i = 0; i < run->n_foreign; i++) {
		struct rfs_foreign *foreign = &run->foreign[i];
		bool moving = child_moves(run, foreign);

		foreign->loose = foreign->loose && moving;
		moves = moves || (moving && !foreign->loose);
		runs = runs || (moving && !foreign->loose && rfs_task_state(foreign->task) == 'R');
	}
	if (!moves)
		return false;
	now = rfs_clock();
	cpu = rfs_tracer_cpu_seconds(run->tracer);
	if (!quiesce->waits) {
		*quiesce = (struct rfs_quiesce){.waits = true, .cpu = cpu, .idle_since = now};
	} else {
		if (runs)
			quiesce->idle_since = now;
		if (cpu - quiesce->cpu > CHILDREN_CPU_SECONDS || now - quiesce->idle_since > CHILDREN_IDLE_SECONDS) {
			leave_children(run);
			return false;
		}
	}
	return true;
}

bool rfs_is_quiescent(struct rfs_run *run, struct rfs_quiesce *quiesce)
{
	return !rfs_threads_move(run) && !(run->n_foreign && children_move(run, quiesce));
}
