/* recorded_calls.c - functions whose calls stubs record, and breakpoints in their place once the stubs have to go. */
#include "supervisor/access/recorded_calls.h"

#include "disasm/addr.h"
#include "supervisor/access/hooks.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/thread.h"
#include "tracer/patch.h"
#include "tracer/tracer.h"

/* What the thread has entered is not going to be recorded when it comes back. */
static void stop_at_returns(struct rfs_run *run, struct rfs_task *task, const struct rfs_thread *thread)
{
	for (size_t i = 0; i < thread->n_returns && thread->state != RFS_STATE_ENDED; i++) {
		struct rfs_hook *hook = rfs_hook_at(run, task, thread->returns[i].address);

		if (hook)
			hook->returns = true;
	}
}

bool rfs_recorded_calls_remove_patches(struct rfs_run *run, struct rfs_task *task, rfs_addr start, rfs_addr end)
{
	const struct rfs_recorded_call *recorded = run->recorded;
	size_t n = run->n_recorded, i = 0;

	while (i < n && (recorded[i].end <= start || recorded[i].start >= end))
		i++;
	if (i == n)
		return false;
	run->n_recorded = 0;
	for (i = 0; i < n; i++) {
		struct rfs_hook *hook;

		rfs_patches_remove(rfs_task_space(task), recorded[i].start, recorded[i].end);
		hook = recorded[i].call ? rfs_hook_at(run, task, recorded[i].start) : NULL;
		if (hook)
			hook->call = recorded[i].call;
	}
	for (i = 0; i < run->n_threads; i++)
		stop_at_returns(run, task, run->threads[i]);
	return true;
}

void rfs_recorded_calls_forget(struct rfs_run *run, rfs_addr start, rfs_addr end)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->n_recorded; i++)
		if (run->recorded[i].start < start || run->recorded[i].start >= end)
			run->recorded[kept++] = run->recorded[i];
	run->n_recorded = kept;
}
