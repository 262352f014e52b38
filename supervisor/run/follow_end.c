/* follow_end.c - with --follow: after the program has ended, the wrapper runs to its end without control. */
#include "supervisor/run/follow_end.h"

#include <sys/wait.h>

#include "supervisor/base/clock.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/run/pump.h"
#include "supervisor/state/core/follow.h"
#include "supervisor/state/core/run_state.h"

/*
 * While rfsup waits for the end of the wrapper, it checks in this interval whether the run was cancelled or has timed
 * out.
 */
#define LOOK_MS 50

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
		if (spec->limits.timeout > 0 && rfs_clock() - run->loop.started > spec->limits.timeout) {
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
