/*
 * follow_run.c - --follow in a controlled run.
 *
 * Nothing is controlled before the program to follow starts.
 */
#include "supervisor/run/stops/follow_run.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "supervisor/base/alloc.h"
#include "supervisor/kernel/calls/time_calls.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/state/core/follow.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "tracer/tracer.h"

bool rfs_follow_is_above(const struct rfs_run *run, pid_t pid)
{
	for (size_t i = 0; i < run->follow.n_above; i++)
		if (run->follow.above[i] == pid)
			return true;
	return false;
}

/*
 * Notes the processes that the program descends from. No choice has to wait for these processes (children.c), because
 * they wait for the program or do not depend on it.
 */
static void note_above(struct rfs_run *run, const struct rfs_task *task)
{
	struct rfs_follow *follow = &run->follow;
	pid_t pid;

	while (task && rfs_task_pid(task) != rfs_tracer_root(run->tracer)) {
		pid = rfs_task_parent(task);
		task = pid > 0 ? rfs_tracer_task(run->tracer, pid) : NULL;
		if (!task)
			return;
		follow->above = xreallocarray(follow->above, follow->n_above + 1, sizeof(*follow->above));
		follow->above[follow->n_above++] = pid;
	}
}

bool rfs_follow_begins(struct rfs_run *run, const struct rfs_stop *stop)
{
	char file[PATH_MAX];

	if (stop->kind != RFS_STOP_EXEC)
		return false;
	(void)rfs_pids_add(run, rfs_task_tid(stop->task));
	if (rfs_process_file(rfs_task_pid(stop->task), file, sizeof(file)) || !rfs_follow_matches(&run->follow, file))
		return false;
	rfs_tracer_follow(run->tracer, stop->task);
	note_above(run, stop->task);
	/* the run begins here; what the wrapper did before does not count */
	rfs_clock_begin(run);
	return true;
}

void rfs_follow_ended(struct rfs_run *run, const struct rfs_stop *stop)
{
	struct rfs_follow *follow = &run->follow;

	if (!(follow->glob || follow->taken) || rfs_task_tid(stop->task) != rfs_tracer_root(run->tracer))
		return;
	follow->over = true;
	follow->status = stop->kind == RFS_STOP_EXITED ? W_EXITCODE(stop->status, 0) : stop->status;
	if (rfs_tracer_pid(run->tracer))
		return;
	follow->missed = true;
	rfs_run_uncontrolled(run, "the program to control (--follow) was not started");
}
