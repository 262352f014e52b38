/*
 * recorded_calls.c - the list of functions whose calls are recorded by stubs. If the stubs must be removed, breakpoints
 * replace them.
 */
#include "supervisor/access/calls/recorded_calls.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/base/alloc.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "tracer/patch.h"
#include "tracer/tracer.h"

/* A function of the C library whose calls are recorded by stubs, so that no breakpoint at its entry is needed. */
struct recorded {
	rfs_addr start, end;
	const struct rfs_call *call; /* its row of the table in sync/pthread_calls.c; NULL: none */
};

struct rfs_recorded_calls {
	struct recorded *list;
	size_t n;
};

/*
 * Sets breakpoints at the return addresses of recorded functions that the thread is in. The stubs of these functions
 * are gone, so nothing else will record the returns.
 */
static void stop_at_returns(struct rfs_run *run, struct rfs_task *task, const struct rfs_thread *thread)
{
	for (size_t i = 0; i < thread->n_returns && thread->state != RFS_STATE_ENDED; i++) {
		struct rfs_hook *hook = rfs_call_hook(run, task, thread->returns[i].address);

		if (hook)
			hook->returns = true;
	}
}

bool rfs_recorded_calls_remove_patches(struct rfs_run *run, struct rfs_task *task, rfs_addr start, rfs_addr end)
{
	struct rfs_recorded_calls *calls = run->recorded;
	const struct recorded *recorded = calls ? calls->list : NULL;
	size_t n = calls ? calls->n : 0, i = 0;

	while (i < n && (recorded[i].end <= start || recorded[i].start >= end))
		i++;
	if (i == n)
		return false;
	calls->n = 0;
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

void rfs_recorded_calls_add(struct rfs_run *run, rfs_addr start, rfs_addr end)
{
	struct rfs_recorded_calls *calls = run->recorded;

	if (!calls)
		calls = run->recorded = xcalloc(1, sizeof(*calls));
	calls->list = xreallocarray(calls->list, calls->n + 1, sizeof(*calls->list));
	calls->list[calls->n++] = (struct recorded){.start = start, .end = end};
}

bool rfs_recorded_calls_any(const struct rfs_run *run)
{
	return run->recorded && run->recorded->n;
}

bool rfs_recorded_calls_claim(struct rfs_run *run, rfs_addr address, const struct rfs_call *call)
{
	struct rfs_recorded_calls *calls = run->recorded;

	for (size_t i = 0; calls && i < calls->n; i++) {
		struct recorded *recorded = &calls->list[i];

		if (recorded->start != address)
			continue;
		if (!recorded->call)
			recorded->call = call;
		return true;
	}
	return false;
}

void rfs_recorded_calls_forget(struct rfs_run *run, rfs_addr start, rfs_addr end)
{
	struct rfs_recorded_calls *calls = run->recorded;
	size_t kept = 0;

	if (!calls)
		return;
	for (size_t i = 0; i < calls->n; i++)
		if (calls->list[i].start < start || calls->list[i].start >= end)
			calls->list[kept++] = calls->list[i];
	calls->n = kept;
}

void rfs_recorded_calls_copy(const struct rfs_run *from, struct rfs_run *to)
{
	const struct rfs_recorded_calls *calls = from->recorded;

	if (!calls)
		return;
	to->recorded = xcalloc(1, sizeof(*to->recorded));
	to->recorded->n = calls->n;
	to->recorded->list = xcalloc(calls->n + 1, sizeof(*calls->list));
	if (calls->n)
		memcpy(to->recorded->list, calls->list, calls->n * sizeof(*calls->list));
}

void rfs_recorded_calls_release(struct rfs_run *run)
{
	if (run->recorded)
		free(run->recorded->list);
	free(run->recorded);
}
