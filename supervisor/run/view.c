/* view.c - what a policy sees before each choice: every thread, its next operation, and whether it is enabled. */
#include "supervisor/run/view.h"

#include <string.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/access/store_buffers.h"
#include "supervisor/access/word_locks.h"
#include "supervisor/kernel/signals/signals.h"
#include "supervisor/model/sync.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/run/idle.h"
#include "supervisor/run/stops/handlers.h"
#include "supervisor/state/core/aliases.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stable_names.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/findings/lock_order.h"
#include "supervisor/state/operations/faults.h"
#include "supervisor/state/operations/park.h"

static size_t view_stack(const struct rfs_view *view, int thread, rfs_addr *out, size_t max)
{
	const struct rfs_run_view *own = (const struct rfs_run_view *)view;
	struct rfs_thread *t = rfs_stores_is_buffer(own->run, thread) ? NULL : own->run->threads[thread];

	if (!t || !t->task || t->state != RFS_STATE_PARKED || max == 0)
		return 0;
	if (t->next.kind == RFS_OP_START && t->start.routine) {
		out[0] = t->start.routine + 1;
		return 1;
	}
	return rfs_thread_stack(t, out, max);
}

static uint64_t view_function(const struct rfs_view *view, rfs_addr address)
{
	return rfs_function_name(((const struct rfs_run_view *)view)->run, address);
}

static uint64_t view_lock_class(const struct rfs_run *run, struct rfs_thread *t)
{
	const enum rfs_op_kind kind = t->next.kind;

	if (kind != RFS_OP_LOCK && kind != RFS_OP_RDLOCK && kind != RFS_OP_WRLOCK &&
	    !rfs_word_locks_acquires(run, &t->next))
		return 0;
	if (!t->lock_class)
		t->lock_class = rfs_lock_class(run, t->next.object);
	return t->lock_class;
}

/* Whether the thread cannot continue now, or only if time passes. A signal that waits for it wakes it at once. */
static bool needs_time(unsigned flags)
{
	return !(flags & (RFS_THREAD_ENABLED | RFS_THREAD_READY)) || (flags & RFS_THREAD_SLEEPS);
}

size_t rfs_build_view(struct rfs_run *run, struct rfs_run_view *out)
{
	const uint64_t due = rfs_time_next(run);
	size_t n = 0, choosable = 0, buffers;
	unsigned long pending;

	for (size_t i = 0; i < run->n_threads; i++) {
		struct rfs_thread *t = run->threads[i];
		struct rfs_thread_view *v = &run->view[n];

		if (rfs_handler_is_idle(t)) {
			*v = (struct rfs_thread_view){.thread = t->number, .due = RFS_NEVER};
			rfs_handler_view(run, t, v);
			choosable += t->flags != 0;
			n++;
			continue;
		}
		if (t->state == RFS_STATE_ENDED || !t->task)
			continue;
		t->flags = 0;
		if (t->state == RFS_STATE_PARKED) {
			rfs_family_turn(run, t);
			t->flags = t->ready(run, t);
			if (run->signals && !t->handler.by && needs_time(t->flags) &&
			    rfs_signal_waits(run, t, &pending))
				t->flags = RFS_THREAD_ENABLED | RFS_THREAD_BY_SIGNAL;
			if (t->yielded && (t->flags & RFS_THREAD_ENABLED))
				t->flags |= RFS_THREAD_YIELDED;
			if (run->faults && (t->flags & RFS_THREAD_ENABLED) && rfs_fault_can_happen(t))
				t->flags |= RFS_THREAD_CAN_FAIL;
			if (rfs_sync_woken(&t->sync))
				t->flags |= RFS_THREAD_WOKEN;
		}
		*v = (struct rfs_thread_view){
			.thread = t->number,
			.flags = t->flags & ~RFS_THREAD_BY_SIGNAL,
			.next = t->next,
			.due = t->deadline,
		};
		v->next.object = rfs_location(run, t->next.object);
		if (t->state != RFS_STATE_PARKED)
			v->next = rfs_op_make(RFS_OP_KERNEL, 0, 0);
		else if (run->spec->policy->flags & RFS_POLICY_NEEDS_HEAP)
			v->lock_class = view_lock_class(run, t);
		if (run->spec->plan.cycle && t->state == RFS_STATE_PARKED)
			v->cycle = rfs_lock_order_place(run, t);
		if (t->flags & (RFS_THREAD_ENABLED | RFS_THREAD_CAN_TIME_OUT))
			choosable++;
		n++;
	}
	rfs_family_turn(run, NULL);
	buffers = rfs_stores_view(run, run->view + n);
	n += buffers;
	choosable += buffers;
	*out = (struct rfs_run_view){
		.view = {.step = run->result->counts.steps,
			 .n_threads = n,
			 .threads = run->view,
			 .stack = view_stack,
			 .function = view_function,
			 .time_can_pass = due != RFS_NEVER,
			 .due = due,
			 .time = run->time.now,
			 .sleep_race = rfs_sleep_race(run),
			 .outside = rfs_outside_can_act(run)},
		.run = run,
	};
	return choosable;
}
