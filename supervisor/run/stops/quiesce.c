/*
 * quiesce.c - before a choice, waits until the target is quiescent.
 *
 * Two kinds of tasks run without having been picked. One kind is the tasks of child processes. The other kind is
 * threads on their way out of a system call that another thread's call ended (kernel/calls/blocking.c). What these
 * tasks do may change which threads can be picked. Therefore a choice waits until they sleep, have ended, or have
 * arrived at the exits of their calls. The choice then depends only on the schedule, and not on the load of the
 * machine.
 *
 * The wait has a limit, because a child may work for ever. The limit is measured in CPU time (children.c). Real time
 * would be wrong on a busy machine, where seconds may pass before a task gets a core for its last microsecond of work.
 */
#include "supervisor/run/stops/quiesce.h"

#include <string.h>
#include <sys/syscall.h>

#include "supervisor/kernel/kernel.h"
#include "supervisor/run/stops/children.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "tracer/tracer.h"

bool rfs_threads_move(const struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];
		char state = t->state == RFS_STATE_KERNEL && t->task && !rfs_kernel_holds_back(t)
				     ? rfs_task_state(t->task)
				     : 'S';

		/*
		 * State t: the thread has stopped, but the stop is not reported yet. State D: it waits for a page or a
		 * lock of the kernel. In vfork, state D means that it waits for its child, which is not a move.
		 */
		if (state == 'R' || state == 't' || (state == 'D' && t->syscall != SYS_vfork))
			return true;
	}
	return false;
}

bool rfs_is_quiescent(struct rfs_run *run, struct rfs_quiesce *quiesce)
{
	return !rfs_threads_move(run) && !(run->n_children && rfs_children_move(run, quiesce));
}
