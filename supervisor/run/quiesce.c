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

#include "supervisor/kernel/kernel.h"
#include "supervisor/run/children.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/thread.h"
#include "tracer/tracer.h"

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

bool rfs_is_quiescent(struct rfs_run *run, struct rfs_quiesce *quiesce)
{
	return !rfs_threads_move(run) && !(run->n_children && rfs_children_move(run, quiesce));
}
