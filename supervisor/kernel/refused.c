/*
 * refused.c - system calls that rfsup refuses because it traces the target itself.
 *
 * A task has one tracer, so the target cannot trace its own tasks. A task that nobody traces would run without control,
 * and the calls that the seccomp filter traces would fail in it. The user is told, because the target may fail for this
 * reason only.
 */
#include "supervisor/kernel/refused.h"

#include <errno.h>

#include "supervisor/base/text/syscall_name.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/syscall_table.h"
#include "supervisor/record/run_result.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "tracer/tracer.h"

static void refused_warn(struct rfs_run *run, long number)
{
	char call[64];

	rfs_syscall_name(number, call, sizeof(call));
	run->result->refused = true;
	rfs_run_warn(run,
		     "the program called %s to trace a task or to start one that cannot be traced; under rfsup the "
		     "call fails with EPERM, so a failure that follows may be due to rfsup",
		     call);
}

enum rfs_then rfs_sys_refused(struct rfs_run *run, struct rfs_thread *thread)
{
	refused_warn(run, thread->syscall);
	rfs_task_answer_syscall(thread->task, -EPERM);
	return RFS_THEN_EXECUTE;
}

bool rfs_refused_child(struct rfs_run *run, struct rfs_task *task, long number)
{
	if (rfs_syscall_row(number)->enter != rfs_sys_refused)
		return false;
	refused_warn(run, number);
	rfs_task_answer_syscall(task, -EPERM);
	return true;
}
