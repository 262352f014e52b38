/*
 * privileges.c - answers to calls that ask for the privileges of the target.
 *
 * rfsup installs a seccomp filter in the target, which needs PR_SET_NO_NEW_PRIVS. Both stay for life, and the target
 * could see them with prctl(2). So rfsup answers as if neither were there, unless the target asked for them too.
 */
#include "supervisor/kernel/ids/privileges.h"

#include <sys/prctl.h>

#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/kernel/ids/proc_text.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/park.h"
#include "tracer/tracer.h"

bool rfs_privileges_given_up(const struct rfs_run *run)
{
	return run->kernel->no_new_privileges || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

bool rfs_privileges_answer(struct rfs_run *run, struct rfs_task *task, const unsigned long *args, long *result)
{
	const bool rest_is_zero = !args[2] && !args[3] && !args[4];

	*result = 0;
	switch (args[0]) {
	case PR_SET_NO_NEW_PRIVS:
		run->kernel->no_new_privileges |= args[1] == 1 && rest_is_zero;
		return false;
	case PR_GET_NO_NEW_PRIVS:
		*result = rfs_privileges_given_up(run);
		return !args[1] && rest_is_zero;
	case PR_GET_SECCOMP:
		return rfs_proc_filters(rfs_task_tid(task)) == 0;
	default:
		return false;
	}
}

enum rfs_then rfs_sys_prctl(struct rfs_run *run, struct rfs_thread *thread)
{
	long result;

	if (rfs_privileges_answer(run, thread->task, thread->args, &result))
		return rfs_syscall_answer(thread, result);
	return RFS_THEN_UNDECIDED;
}
