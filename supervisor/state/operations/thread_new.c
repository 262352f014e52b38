/* thread_new.c - gives a new thread of the target its place in the run. */
#include "supervisor/state/operations/thread_new.h"

#include <stdint.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/model/sync.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/partial_order.h"
#include "tracer/tracer.h"

void rfs_thread_adopt(struct rfs_thread *thread, struct rfs_thread *creator)
{
	thread->creator = creator;
	rfs_name_thread(thread, creator);
	if (!creator)
		return;
	thread->start = creator->creates;
	creator->creates = (struct rfs_thread_start){0};
}

struct rfs_thread *rfs_thread_new(struct rfs_run *run, struct rfs_task *task, pid_t tid, struct rfs_thread *creator)
{
	struct rfs_thread *t = xcalloc(1, sizeof(*t));
	struct rfs_event event = {.kind = RFS_EVENT_THREAD};

	t->number = (int)run->n_threads;
	t->task = task;
	t->tid = t->sync.tid = tid;
	t->state = RFS_STATE_EMBRYO;
	rfs_thread_adopt(t, creator);
	t->deadline = RFS_NEVER;
	t->heap_call.times = UINT64_MAX;
	if (task)
		rfs_task_set_data(task, t);
	run->threads = xreallocarray(run->threads, run->n_threads + 1, sizeof(*run->threads));
	/* room for the threads and their store buffers */
	run->view = xreallocarray(run->view, 2 * (run->n_threads + 1), sizeof(*run->view));
	run->threads[run->n_threads++] = t;
	rfs_sync_add(&run->sync, &t->sync);
	event.thread = t->number;
	event.op.peer = creator ? creator->number : -1;
	rfs_emit(run, &event);
	if (run->spec->policy->event)
		run->spec->policy->event(run->policy, &event);
	return t;
}
