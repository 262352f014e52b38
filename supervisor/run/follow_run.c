/*
 * follow_run.c - --follow in a controlled run.
 *
 * Nothing is controlled before the program to follow starts. After the program has ended, the wrapper runs to its end
 * without control.
 */
#include "supervisor/run/follow_run.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/kernel/calls/time_calls.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/run/pump.h"
#include "supervisor/state/core/follow.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "tracer/tracer.h"

/*
 * While rfsup waits for the end of the wrapper, it checks in this interval whether the run was cancelled or has timed
 * out.
 */
#define LOOK_MS 50

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

	if (!follow->glob || rfs_task_tid(stop->task) != rfs_tracer_root(run->tracer))
		return;
	follow->over = true;
	follow->status = stop->kind == RFS_STOP_EXITED ? W_EXITCODE(stop->status, 0) : stop->status;
	if (rfs_tracer_pid(run->tracer))
		return;
	follow->missed = true;
	rfs_run_uncontrolled(run, "the program to control (--follow) was not started");
}

/* The wrapper may detect a failure after the program has ended, for example by comparing its output. */
void rfs_follow_finish(struct rfs_run *run)
{
	const struct rfs_run_spec *spec = run->spec;
	struct rfs_run_result *result = run->result;

	if (!run->follow.glob || result->end != RFS_END_EXIT || result->detail != 0)
		return;
	while (!run->follow.over) {
		if (spec->cancel_fd >= 0 && rfs_interrupted(spec->cancel_fd)) {
			result->end = RFS_END_CANCELLED;
			return;
		}
		if (spec->timeout > 0 && rfs_clock() - run->started > spec->timeout) {
			result->end = RFS_END_TIMEOUT;
			return;
		}
		if (rfs_pump(run, LOOK_MS) < 0)
			return;
	}
	if (run->follow.status == 0)
		return;
	result->end = WIFSIGNALED(run->follow.status) ? RFS_END_SIGNAL : RFS_END_EXIT;
	result->detail =
		WIFSIGNALED(run->follow.status) ? WTERMSIG(run->follow.status) : WEXITSTATUS(run->follow.status);
}
