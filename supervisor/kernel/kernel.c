/* kernel.c - makes, copies and frees what a run stores about the kernel. */
#include "supervisor/kernel/kernel.h"

#include <stdlib.h>

#include "supervisor/base/alloc.h"
#include "supervisor/kernel/calls/unmapped.h"
#include "supervisor/kernel/child_waits.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/kernel/descriptors/loopback.h"
#include "supervisor/kernel/descriptors/target_fd.h"
#include "supervisor/kernel/ids/directory.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/ids/ports.h"
#include "supervisor/kernel/input/nondeterminism.h"
#include "supervisor/kernel/signals/signals.h"
#include "supervisor/kernel/signals/timers.h"
#include "supervisor/state/core/run_state.h"

void rfs_kernel_init(struct rfs_run *run)
{
	run->kernel = xcalloc(1, sizeof(*run->kernel));
	rfs_signals_init(run);
	rfs_pids_init(run);
	rfs_nondet_init(run);
}

void rfs_kernel_release(struct rfs_run *run)
{
	rfs_loopback_release(run);
	rfs_ports_release(run);
	rfs_target_fd_release(run);
	rfs_pids_release(run);
	rfs_timers_release(run);
	rfs_directories_release(run);
	rfs_nondet_release(run);
	rfs_unmapped_release(run);
	rfs_child_waits_release(run);
	rfs_signals_release(run);
	free(run->kernel);
	run->kernel = NULL;
}

void rfs_kernel_copy(const struct rfs_run *from, struct rfs_run *to)
{
	to->kernel->clock = from->kernel->clock;
	to->kernel->late_close = from->kernel->late_close;
	to->kernel->no_new_privileges = from->kernel->no_new_privileges;
	rfs_signals_copy(from, to);
}

void rfs_kernel_thread_init(struct rfs_thread *thread)
{
	thread->call = xcalloc(1, sizeof(*thread->call));
	*thread->call = (struct rfs_call_state){.fd = -1, .fd_out = -1, .stands_in = -1};
}

void rfs_kernel_thread_release(struct rfs_thread *thread)
{
	/* the thread may have waited for a descriptor when the run ended */
	rfs_call_drop_fds(thread);
	free(thread->call);
}

void rfs_kernel_thread_copy(const struct rfs_thread *from, struct rfs_thread *to)
{
	rfs_kernel_thread_init(to);
	to->call->affinity = from->call->affinity;
}

bool rfs_kernel_holds_back(const struct rfs_thread *thread)
{
	return thread->call->held_back;
}
