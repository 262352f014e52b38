/*
 * deadlock.c - a cycle in the wait-for graph, reported at once even while others run; or nobody left who could go on.
 *
 * A thread that stands before a call that cannot come back now waits for all holders of the lock, or for the thread
 * that it joins. A timeout ends a wait by itself, so timed calls are no edges.
 */
#include "supervisor/state/deadlock.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/state/events.h"
#include "supervisor/state/evidence.h"
#include "supervisor/state/outcome.h"
#include "supervisor/state/run_result.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/thread.h"
#include "supervisor/state/virtual_time.h"

static bool waits(struct rfs_run *run, struct rfs_thread *thread)
{
	enum rfs_op_kind kind = thread->next.kind;

	if (thread->state != RFS_STATE_PARKED || thread->deadline != RFS_NEVER || thread->cancel_pending)
		return false;
	if (kind != RFS_OP_LOCK && kind != RFS_OP_RDLOCK && kind != RFS_OP_WRLOCK && kind != RFS_OP_JOIN)
		return false;
	return !(thread->ready(run, thread) & RFS_THREAD_ENABLED);
}

static bool waits_for(const struct rfs_thread *thread, const struct rfs_thread *other)
{
	if (thread->next.kind == RFS_OP_JOIN)
		return thread->next.peer == other->number;
	for (size_t i = 0; i < other->n_holds; i++)
		if (other->holds[i].lock == thread->next.object)
			return true;
	return false;
}

static void describe_waiter(struct rfs_run *run, struct rfs_thread *thread, struct rfs_waiter *out)
{
	/* signalled, or timed out: it wants the mutex back */
	bool woken = rfs_cond_asleep(thread) && (thread->wait.signalled || thread->deadline <= run->now);

	out->thread = thread->number;
	out->operation = woken				     ? RFS_OP_LOCK
			 : thread->state == RFS_STATE_PARKED ? thread->next.kind
			 : thread->state == RFS_STATE_KERNEL ? RFS_OP_KERNEL
							     : RFS_OP_NONE;
	out->for_thread = -1;
	if (thread->state == RFS_STATE_PARKED) {
		rfs_addr object = woken ? thread->wait.mutex : thread->next.object;

		rfs_describe(run, object, &out->waits_for);
		out->for_thread = thread->next.kind == RFS_OP_JOIN ? thread->next.peer : -1;
		if (out->for_thread < 0) {
			const struct rfs_thread *holder = rfs_holder(run, object, NULL);

			out->for_thread = holder ? holder->number : -1;
		}
		rfs_stack_places(run, thread, &out->stack, &out->n_stack);
	} else {
		rfs_describe(run, 0, &out->waits_for);
	}
	out->holds = xcalloc(thread->n_holds ? thread->n_holds : 1, sizeof(*out->holds));
	for (size_t i = 0; i < thread->n_holds; i++)
		rfs_describe(run, thread->holds[i].lock, &out->holds[out->n_holds++]);
}

void rfs_describe_threads(struct rfs_run *run, struct rfs_waiters *out)
{
	out->n = 0;
	out->list = xcalloc(run->n_threads ? run->n_threads : 1, sizeof(*out->list));
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i]->state != RFS_STATE_ENDED && run->threads[i]->task)
			describe_waiter(run, run->threads[i], &out->list[out->n++]);
}

static void report_cycle(struct rfs_run *run, struct rfs_thread *const *path, size_t n)
{
	run->result->deadlock.list = xcalloc(n, sizeof(*run->result->deadlock.list));
	for (size_t i = 0; i < n; i++) {
		struct rfs_waiter *w = &run->result->deadlock.list[run->result->deadlock.n++];

		describe_waiter(run, path[i], w);
		w->for_thread = path[(i + 1) % n]->number;
	}
	rfs_run_end(run, RFS_END_DEADLOCK, 0);
}

/* Depth first from the thread that has just begun to wait: a new cycle goes through it. */
static bool search(struct rfs_run *run, struct rfs_thread **path, size_t depth, bool *seen)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		struct rfs_thread *other = run->threads[i];

		if (other->state == RFS_STATE_ENDED || !waits_for(path[depth], other))
			continue;
		if (other == path[0]) {
			report_cycle(run, path, depth + 1);
			return true;
		}
		if (seen[i] || !waits(run, other))
			continue;
		seen[i] = true;
		path[depth + 1] = other;
		if (search(run, path, depth + 1, seen))
			return true;
	}
	return false;
}

bool rfs_deadlock_cycle(struct rfs_run *run, struct rfs_thread *from)
{
	struct rfs_thread **path;
	bool *seen, found;

	if (!waits(run, from))
		return false;
	path = xcalloc(run->n_threads + 1, sizeof(*path));
	seen = xcalloc(run->n_threads, sizeof(*seen));
	path[0] = from;
	found = search(run, path, 0, seen);
	free(path);
	free(seen);
	return found;
}

void rfs_deadlock_all(struct rfs_run *run)
{
	rfs_describe_threads(run, &run->result->deadlock);
	rfs_run_end(run, RFS_END_DEADLOCK, 0);
}
