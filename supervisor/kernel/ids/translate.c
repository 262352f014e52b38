/* translate.c - ids and ports in a system call. */
#include "supervisor/kernel/ids/translate.h"

#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/ids/ports.h"
#include "supervisor/state/core/thread.h"

bool rfs_syscall_translate(struct rfs_run *run, struct rfs_task *task, const struct rfs_syscall *row,
			   const unsigned long *args)
{
	bool ids = rfs_pids_begin(run, task, row->ids, args);

	return rfs_ports_begin(run, task, row, args) || ids;
}

enum rfs_then rfs_syscall_proceed(struct rfs_run *run, struct rfs_thread *thread)
{
	return rfs_syscall_translate(run, thread->task, thread->call->row, thread->args) ? RFS_THEN_STOP_AT_EXIT
											 : RFS_THEN_EXECUTE;
}
