/* follow_end.c - with --follow: after the program has ended, the wrapper runs to its end without control. */
#include "supervisor/run/follow_end.h"

#include <signal.h>
#include <sys/wait.h>

#include "supervisor/base/clock.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/run/pump.h"
#include "supervisor/run/stops/processes.h"
#include "supervisor/run/stops/quiesce.h"
#include "supervisor/state/core/follow.h"
#include "supervisor/state/core/run_state.h"

/*
 * While rfsup waits for the end of the wrapper, it checks in this interval whether the run was cancelled or has timed
 * out.
 */
#define LOOK_MS 50

/* The same for processes that may make threads after the end of the program. */
#define LATE_MS 2

/* Waits for the end of the wrapper, or of the first process of the program. False if the run has ended differently. */
static bool wait_for_end(struct rfs_run *run)
{
	const struct rfs_run_spec *spec = run->spec;
	struct rfs_run_result *result = run->result;

	while (!run->follow.over) {
		if (spec->cancel_fd >= 0 && rfs_interrupted(spec->cancel_fd)) {
			result->end = RFS_END_CANCELLED;
			return false;
		}
		if (spec->limits.timeout > 0 && rfs_clock() - run->loop.started > spec->limits.timeout) {
			result->end = RFS_END_TIMEOUT;
			return false;
		}
		if (rfs_pump(run, LOOK_MS) < 0)
			return false;
	}
	return true;
}

static void take_status(const struct rfs_run *run)
{
	struct rfs_run_result *result = run->result;

	result->end = WIFSIGNALED(run->follow.status) ? RFS_END_SIGNAL : RFS_END_EXIT;
	result->detail =
		WIFSIGNALED(run->follow.status) ? WTERMSIG(run->follow.status) : WEXITSTATUS(run->follow.status);
}

/* Whether the run ended with a signal by which one process ends another on purpose. */
static bool was_told_to_end(const struct rfs_run_result *result)
{
	switch (result->end == RFS_END_SIGNAL ? result->detail : 0) {
	case SIGHUP:
	case SIGINT:
	case SIGKILL:
	case SIGTERM:
	case SIGUSR1:
	case SIGUSR2:
		return true;
	default:
		return false;
	}
}

/*
 * A process has taken the place of the program, and has ended. If the first process is still there, it decides whether
 * the program has failed: it may wait for the status. But a crash is a failure in any case.
 */
static void finish_taken(struct rfs_run *run)
{
	const struct rfs_run_result *result = run->result;
	const bool over = run->follow.over;

	if (result->end != RFS_END_EXIT && !was_told_to_end(result))
		return;
	if (wait_for_end(run) && (!over || (result->end == RFS_END_EXIT && result->detail == 0)))
		take_status(run);
}

/* The wrapper may detect a failure after the program has ended, for example by comparing its output. */
void rfs_follow_finish(struct rfs_run *run)
{
	const struct rfs_run_result *result = run->result;

	if (run->follow.taken) {
		finish_taken(run);
		return;
	}
	if (!run->follow.glob || result->end != RFS_END_EXIT || result->detail != 0)
		return;
	if (wait_for_end(run) && run->follow.status)
		take_status(run);
}

void rfs_processes_finish(struct rfs_run *run)
{
	const double since = rfs_clock();
	struct rfs_quiesce quiesce = {0};

	while (rfs_processes_may_thread(run, since, &quiesce))
		if (rfs_pump(run, LATE_MS) < 0)
			break;
	rfs_processes_end(run);
}
