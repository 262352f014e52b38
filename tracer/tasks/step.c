/*
 * Makes a single step at an address whose breakpoint is removed meanwhile.
 *
 * During the step, another task of the space could pass the address unseen. Therefore all tasks that run user code are
 * stopped first. A task that sleeps in the kernel is not stopped, because some system calls would then end with EINTR.
 * If such a task wakes during these microseconds, it may pass unseen. This risk exists only for the few instructions
 * that can be neither copied nor emulated.
 */
#include "tracer/tasks/step-priv.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <utlist.h>

#include "tracer/code/breakpoint_table-priv.h"
#include "tracer/process/code_bytes-priv.h"
#include "tracer/process/queue-priv.h"
#include "tracer/process/resume-priv.h"
#include "tracer/process/space-priv.h"
#include "tracer/process/stop-priv.h"
#include "tracer/process/task-priv.h"
#include "tracer/process/wait-priv.h"
#include "tracer/tracer.h"

/* Stops `other`. True if it must be resumed afterwards. If it stops for another reason than our interrupt, that stop is
 * queued. */
static bool hold(struct rfs_task *other)
{
	int status;

	if (other->state != RFS_TASK_RUNNING || rfs_task_state(other) != 'R' ||
	    ptrace(PTRACE_INTERRUPT, other->tid, 0, 0) || rfs_wait_task(other, &status))
		return false;
	if (rfs_stop_decode(status).kind == RFS_RAW_STOP && other->announced)
		return true;
	/* our interrupt still arrives later, as an unexpected RFS_STOP_INTERRUPT, which is harmless */
	other->state = RFS_TASK_RUNNING;
	if (rfs_queue_raw(other->tracer, other->tid, status))
		rfs_task_let_go(other, PTRACE_CONT);
	return false;
}

int rfs_step_in_place(struct rfs_task *task, const struct rfs_breakpoint *breakpoint, int *status)
{
	struct rfs_space *space = task->space;
	struct rfs_task **held, *other;
	const unsigned char trap = 0xcc;
	size_t n = 0, alive = 0;
	int r;

	DL_COUNT2(space->tasks, other, alive, space_next);
	held = malloc((alive + 1) * sizeof(struct rfs_task *));
	if (!held)
		return -ENOMEM;
	DL_FOREACH2(space->tasks, other, space_next)
	if (other != task && hold(other))
		held[n++] = other;
	r = rfs_space_poke(space, breakpoint->address, &breakpoint->original, 1);
	if (!r)
		r = rfs_task_continue(task, PTRACE_SINGLESTEP, 0);
	if (!r)
		r = rfs_wait_task(task, status);
	/* restore the int3 before looking at results; this fails only if the memory is gone */
	if (rfs_space_poke(space, breakpoint->address, &trap, 1) && !r)
		r = -ESRCH;
	for (size_t i = 0; i < n; i++)
		rfs_task_let_go(held[i], PTRACE_CONT);
	free(held);
	task->stepping = false;
	return r;
}
