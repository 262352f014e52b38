/* events.c - reports to the policy and the detector what the target did. */
#include "supervisor/state/operations/events.h"

#include <stdbool.h>

#include "disasm/addr.h"
#include "policy/detect/lock_graph.h"
#include "policy/policy.h"
#include "supervisor/model/sync.h"
#include "supervisor/model/word_lock.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/aliases.h"
#include "supervisor/state/core/operation.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stream.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/lock_order.h"
#include "supervisor/state/findings/ocaml_lock.h"
#include "supervisor/state/operations/partial_order.h"
#include "supervisor/state/operations/trace.h"

bool rfs_window_is_closed(const struct rfs_run *run)
{
	const struct rfs_run_window *window = &run->spec->window;
	const uint64_t steps = run->result->counts.steps;

	return window->until && (steps < window->from || steps >= window->until);
}

/* Whether the detector gets the event. It must know of what orders accesses, and of the end of memory. */
static bool events_is_told(const struct rfs_run *run, const struct rfs_event *event)
{
	return event->kind != RFS_EVENT_ACCESS || (event->op.access & (RFS_ACCESS_ATOMIC | RFS_ACCESS_FREE)) ||
	       !rfs_window_is_closed(run);
}

void rfs_emit(struct rfs_run *run, const struct rfs_event *event)
{
	if (run->stream && events_is_told(run, event)) {
		struct rfs_event there = *event;

		/* what an unmapped address meant, others may still mean */
		if (event->kind != RFS_EVENT_RESET)
			there.op.object = rfs_location(run, event->op.object);
		rfs_stream_event(run->stream, &there);
	}
	rfs_lock_order_event(run, event);
}

void rfs_emit_kind(struct rfs_run *run, struct rfs_thread *thread, enum rfs_event_kind kind, uint64_t message)
{
	struct rfs_event event = {.kind = kind, .thread = thread->number, .message = message, .op = {.peer = -1}};

	rfs_emit(run, &event);
}

void rfs_count_access(struct rfs_run *run)
{
	if (run->n_threads > 1)
		run->result->counts.accesses++;
	else
		run->result->counts.early++;
}

void rfs_emit_reset(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, uint64_t size)
{
	struct rfs_event event = {.kind = RFS_EVENT_RESET, .thread = thread->number, .op = {.peer = -1}};

	event.op.object = address;
	event.op.size = size;
	rfs_emit(run, &event);
	rfs_partial_order_reset(run, address, size);
	if (size)
		rfs_words_reset(run->word_locks, address, size);
}

/* Threads that gave up their turn may continue, because a thread has executed an operation. NULL: a store buffer. */
static void end_yields(struct rfs_run *run, const struct rfs_thread *thread)
{
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i] != thread && run->threads[i]->contention.yields_until <= run->result->counts.steps)
			run->threads[i]->yielded = false;
}

void rfs_flushed(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_op *op)
{
	struct rfs_event event = {.kind = RFS_EVENT_OP, .thread = RFS_STORE_BUFFER + thread->number, .op = *op};

	event.op.object = rfs_location(run, op->object);
	run->result->counts.steps++;
	end_yields(run, NULL);
	rfs_trace_op(run, thread, &event.op, RFS_OUTCOME_DONE);
	rfs_partial_order_add(run, thread, &event.op, RFS_OUTCOME_DONE);
	if (run->spec->policy->event)
		run->spec->policy->event(run->policy, &event);
}

/*
 * Notes if the thread has acquired OCaml's lock or its holder has released it. To be called after the thread has
 * released the lock's mutex or created a thread.
 */
static void look_at_ocaml_lock(struct rfs_run *run, struct rfs_thread *thread)
{
	rfs_addr flag;
	int holder;
	bool busy;

	if (!rfs_ocaml_lock_read(run, &flag, &busy))
		return;
	holder = rfs_sync_holder(&run->sync, flag, NULL);
	if (holder >= 0 && !busy)
		rfs_released(run, run->threads[holder], flag);
	else if (holder < 0 && busy)
		rfs_acquired(run, thread, flag, RFS_OP_LOCK, 0);
}

void rfs_executed(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_op *op, enum rfs_outcome outcome)
{
	struct rfs_event event = {.kind = RFS_EVENT_OP, .thread = thread->number, .outcome = outcome, .op = *op};

	event.op.object = rfs_location(run, op->object);
	run->result->counts.steps++;
	thread->operations++;
	if (op->kind != RFS_OP_YIELD)
		end_yields(run, thread);
	thread->yielded = op->kind == RFS_OP_YIELD;
	thread->contention.yields_until = 0;
	/* a loop that waits may have several atomic loads */
	if (op->kind != RFS_OP_SPIN_READ &&
	    !(op->kind == RFS_OP_ACCESS && (op->access & (RFS_ACCESS_ATOMIC | RFS_ACCESS_WRITE)) == RFS_ACCESS_ATOMIC))
		thread->spin.n = 0;
	if (op->kind == RFS_OP_CREATE)
		look_at_ocaml_lock(run, thread);
	if (op->kind == RFS_OP_YIELD || op->kind == RFS_OP_SPIN_READ || op->kind == RFS_OP_FUTEX_WAIT)
		rfs_word_waits(run->word_locks, (size_t)thread->number, op->kind == RFS_OP_FUTEX_WAIT ? op->object : 0);
	thread->spin.hits = 0;
	thread->watched = (struct rfs_watch_counts){0};
	rfs_trace_op(run, thread, &event.op, outcome);
	rfs_partial_order_add(run, thread, &event.op, outcome);
	if (run->spec->policy->event)
		run->spec->policy->event(run->policy, &event);
	rfs_emit(run, &event);
}

/* site: where the lock was acquired; 0: it is released */
static void emit_lock(struct rfs_run *run, struct rfs_thread *thread, enum rfs_event_kind kind, rfs_addr lock,
		      rfs_site site, enum rfs_op_kind how)
{
	struct rfs_event event = {.kind = kind, .thread = thread->number, .op = rfs_op_make(how, site, lock)};

	rfs_emit(run, &event);
}

static void events_acquire(struct rfs_run *run, struct rfs_thread *thread, rfs_addr lock, rfs_site site,
			   enum rfs_op_kind kind, unsigned how)
{
	rfs_lock_order_acquired(run, thread, lock, site, how | (kind == RFS_OP_RDLOCK ? RFS_LOCK_SHARED : 0));
	if (!rfs_sync_acquire(&thread->sync, lock, kind))
		return;
	emit_lock(run, thread, RFS_EVENT_ACQUIRE, lock, site, kind);
	/* the run may learn only later that a word is a lock */
	if (!(how & RFS_LOCK_IS_WORD))
		rfs_sync_acquired_at(&thread->sync, lock, site, run->result->counts.steps);
}

void rfs_acquired(struct rfs_run *run, struct rfs_thread *thread, rfs_addr lock, enum rfs_op_kind kind, unsigned how)
{
	events_acquire(run, thread, lock, thread->next.site, kind, how);
}

void rfs_word_acquired(struct rfs_run *run, struct rfs_thread *thread, rfs_addr word, rfs_site site,
		       enum rfs_op_kind kind)
{
	events_acquire(run, thread, word, site, kind, RFS_LOCK_IS_WORD);
}

void rfs_released(struct rfs_run *run, struct rfs_thread *thread, rfs_addr lock)
{
	enum rfs_op_kind kind;

	rfs_lock_order_released(run, thread, lock);
	if (rfs_sync_release_lock(&thread->sync, lock, &kind))
		emit_lock(run, thread, RFS_EVENT_RELEASE, lock, 0, kind);
	if (lock == run->ocaml_lock)
		look_at_ocaml_lock(run, thread);
}
