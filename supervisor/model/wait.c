/*
 * The wait-for graph: a thread that is parked at a call that cannot return now has an edge to each holder of the lock,
 * or to the thread that it joins. A reader also has an edge to the writers that a lock prefers. A thread in a timed
 * call has no edge, because a timeout can end its wait without another thread.
 */
#include "supervisor/model/wait.h"

#include <stdlib.h>

#include "disasm/addr.h"
#include "supervisor/base/alloc.h"
#include "supervisor/model/barrier.h"
#include "supervisor/model/futex.h"
#include "supervisor/model/lock.h"
#include "supervisor/model/once.h"
#include "supervisor/model/semaphore.h"
#include "supervisor/model/sync.h"

static bool wait_is_ours(const struct rfs_sync *sync, pid_t tid)
{
	for (size_t i = 0; i < sync->n_threads; i++)
		if (sync->threads[i]->tid == tid && !sync->threads[i]->ended)
			return true;
	return false;
}

struct rfs_lock_state rfs_wait_lock(const struct rfs_sync *sync, const struct rfs_sync_thread *thread,
				    const struct rfs_model_memory *memory, enum rfs_lock_type type, rfs_addr lock)
{
	struct rfs_lock_state state;

	if (!rfs_lock_look(memory, thread->tid, type, lock, &state))
		state.returns = true;
	if (type == RFS_LOCK_STREAM && rfs_sync_holds(thread, lock))
		state.returns = state.acquires = true;
	if (type == RFS_LOCK_READ && state.acquires && rfs_sync_writer_waits(sync, thread, lock))
		state.returns = state.acquires = false;
	if (!state.returns && state.shared && state.owner && !wait_is_ours(sync, state.owner))
		state.returns = true;
	return state;
}

static enum rfs_wait_state look_cond(const struct rfs_sync_thread *thread, const struct rfs_model_memory *memory)
{
	struct rfs_lock_state mutex;

	if (rfs_lock_look(memory, thread->tid, RFS_LOCK_MUTEX, thread->cond.mutex, &mutex) && !mutex.returns)
		return RFS_WAIT_BLOCKED;
	return thread->cond.signalled || thread->cond.spurious || rfs_sync_cancelled(thread) ? RFS_WAIT_WOKEN
											     : RFS_WAIT_GOES_ON;
}

static bool wait_is_over(const struct rfs_sync *sync, const struct rfs_sync_thread *thread,
			 const struct rfs_model_memory *memory)
{
	const struct rfs_wait *wait = &thread->wait;
	unsigned value;

	switch (wait->kind) {
	case RFS_WAIT_LOCK:
		return rfs_wait_lock(sync, thread, memory, wait->lock, wait->object).returns;
	case RFS_WAIT_LOCK_PI:
		return rfs_futex_pi_is_free(memory, wait->object);
	case RFS_WAIT_HELD:
		return rfs_sync_holder(sync, wait->object, wait->recursive ? thread : NULL) < 0;
	case RFS_WAIT_JOIN:
		return sync->threads[wait->peer]->ended || rfs_sync_cancelled(thread);
	case RFS_WAIT_SEMAPHORE:
		return !rfs_semaphore_value(memory, wait->object, &value) || value > 0 || rfs_sync_cancelled(thread);
	case RFS_WAIT_BARRIER:
		return rfs_barrier_round(sync, wait->object) > wait->round;
	case RFS_WAIT_ONCE:
		return rfs_once_look(memory, wait->object) != RFS_ONCE_IN_PROGRESS;
	case RFS_WAIT_GUARD:
		return rfs_guard_look(memory, wait->object) != RFS_ONCE_IN_PROGRESS;
	default:
		return true;
	}
}

enum rfs_wait_state rfs_wait_look(const struct rfs_sync *sync, const struct rfs_sync_thread *thread,
				  const struct rfs_model_memory *memory)
{
	switch (thread->wait.kind) {
	case RFS_WAIT_COND:
		return look_cond(thread, memory);
	case RFS_WAIT_FUTEX:
		return thread->futex.awake ? RFS_WAIT_WOKEN : RFS_WAIT_GOES_ON;
	default:
		return wait_is_over(sync, thread, memory) ? RFS_WAIT_OVER : RFS_WAIT_GOES_ON;
	}
}

static bool wait_waits(const struct rfs_sync *sync, const struct rfs_sync_thread *thread,
		       const struct rfs_model_memory *memory)
{
	enum rfs_wait_kind kind = thread->wait.kind;

	if (kind != RFS_WAIT_LOCK && kind != RFS_WAIT_LOCK_PI && kind != RFS_WAIT_HELD && kind != RFS_WAIT_JOIN)
		return false;
	return !thread->wait.timed && !rfs_sync_cancelled(thread) && !wait_is_over(sync, thread, memory);
}

static bool wait_waits_for(const struct rfs_sync *sync, size_t thread, size_t other)
{
	const struct rfs_wait *wait = &sync->threads[thread]->wait;

	if (sync->threads[other]->ended)
		return false;
	if (wait->kind == RFS_WAIT_JOIN)
		return wait->peer == other;
	if (wait->kind == RFS_WAIT_LOCK && wait->lock == RFS_LOCK_READ && other != thread &&
	    sync->threads[other]->wants_write == wait->object)
		return true;
	return rfs_sync_holds(sync->threads[other], wait->object);
}

/*
 * Searches depth first for a way from the waiting thread path[depth] back to path[0]. Returns the length of the cycle;
 * 0: there is no cycle.
 */
static size_t wait_search(const struct rfs_sync *sync, const struct rfs_model_memory *memory, size_t *path,
			  size_t depth, bool *seen)
{
	size_t found;

	for (size_t other = 0; other < sync->n_threads; other++) {
		if (!wait_waits_for(sync, path[depth], other))
			continue;
		if (other == path[0])
			return depth + 1;
		if (seen[other] || !wait_waits(sync, sync->threads[other], memory))
			continue;
		seen[other] = true;
		path[depth + 1] = other;
		found = wait_search(sync, memory, path, depth + 1, seen);
		if (found)
			return found;
	}
	return 0;
}

size_t rfs_wait_cycle(const struct rfs_sync *sync, const struct rfs_model_memory *memory, size_t from, size_t *path)
{
	size_t found;
	bool *seen;

	if (!wait_waits(sync, sync->threads[from], memory))
		return 0;
	seen = xcalloc(sync->n_threads, sizeof(*seen));
	path[0] = from;
	found = wait_search(sync, memory, path, 0, seen);
	free(seen);
	return found;
}
