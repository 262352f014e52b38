/* call_state.c - what kernel/ stores about a thread and the system call that it is in. */
#include "supervisor/kernel/core/call_state.h"

#include <unistd.h>

#include "supervisor/state/core/thread.h"
#include "tracer/tracer.h"

void rfs_call_drop_fds(struct rfs_thread *thread)
{
	struct rfs_call_state *call = thread->call;

	if (call->fd >= 0)
		close(call->fd);
	if (call->fd_out >= 0)
		close(call->fd_out);
	call->fd = call->fd_out = -1;
}

void rfs_call_restore_size(struct rfs_thread *thread)
{
	if (thread->call->shortened)
		rfs_task_regs_mut(thread->task)->rdx = thread->call->shortened;
	thread->call->shortened = 0;
}
