/* sync.c - the threads of the model, and the locks that they hold. */
#include "supervisor/model/sync.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/model/barrier.h"
#include "supervisor/model/semaphore.h"

void rfs_sync_add(struct rfs_sync *sync, struct rfs_sync_thread *thread)
{
	sync->threads = xreallocarray(sync->threads, sync->n_threads + 1, sizeof(*sync->threads));
	sync->threads[sync->n_threads++] = thread;
}

void rfs_sync_copy(const struct rfs_sync *from, struct rfs_sync *to)
{
	to->next_order = from->next_order;
	to->next_message = from->next_message;
}

void rfs_sync_release(struct rfs_sync *sync)
{
	for (size_t i = 0; i < sync->n_threads; i++)
		free(sync->threads[i]->holds);
	free(sync->threads);
	rfs_barriers_release(sync);
	rfs_semaphores_release(sync);
}

void rfs_sync_thread_copy(const struct rfs_sync_thread *from, struct rfs_sync_thread *to)
{
	*to = *from;
	to->holds = NULL;
	if (from->n_holds) {
		to->holds = xcalloc(from->n_holds, sizeof(*to->holds));
		memcpy(to->holds, from->holds, from->n_holds * sizeof(*to->holds));
	}
}

void rfs_sync_thread_exec(struct rfs_sync_thread *thread)
{
	thread->n_holds = 0;
	thread->cond.active = false;
}

void rfs_sync_thread_ended(struct rfs_sync_thread *thread)
{
	thread->ended = true;
	thread->cond.active = false;
	thread->wait = (struct rfs_wait){0};
}

bool rfs_sync_cancelled(const struct rfs_sync_thread *thread)
{
	return thread->cancel_pending && !thread->cancel_disabled;
}

bool rfs_sync_writer_waits(const struct rfs_sync *sync, const struct rfs_sync_thread *thread, rfs_addr lock)
{
	for (size_t i = 0; i < sync->n_threads; i++)
		if (sync->threads[i] != thread && !sync->threads[i]->ended && sync->threads[i]->wants_write == lock)
			return true;
	return false;
}

bool rfs_sync_woken(const struct rfs_sync_thread *thread)
{
	return (thread->wait.kind == RFS_WAIT_COND && thread->cond.signalled) ||
	       (thread->wait.kind == RFS_WAIT_FUTEX && thread->futex.awake);
}

static struct rfs_hold *sync_hold_of(const struct rfs_sync_thread *thread, rfs_addr lock)
{
	for (size_t i = 0; i < thread->n_holds; i++)
		if (thread->holds[i].lock == lock)
			return &thread->holds[i];
	return NULL;
}

bool rfs_sync_acquire(struct rfs_sync_thread *thread, rfs_addr lock, enum rfs_op_kind kind)
{
	struct rfs_hold *hold = sync_hold_of(thread, lock);

	if (hold) {
		hold->count++;
		return false;
	}
	thread->holds = xreallocarray(thread->holds, thread->n_holds + 1, sizeof(*thread->holds));
	thread->holds[thread->n_holds++] = (struct rfs_hold){.lock = lock, .kind = kind, .count = 1};
	return true;
}

void rfs_sync_acquired_at(struct rfs_sync_thread *thread, rfs_addr lock, rfs_site site, uint64_t step)
{
	struct rfs_hold *hold = sync_hold_of(thread, lock);

	if (!hold)
		return;
	hold->site = site;
	hold->step = step;
}

bool rfs_sync_release_lock(struct rfs_sync_thread *thread, rfs_addr lock, enum rfs_op_kind *kind)
{
	struct rfs_hold *hold = sync_hold_of(thread, lock);

	if (!hold || --hold->count > 0)
		return false;
	*kind = hold->kind;
	*hold = thread->holds[--thread->n_holds];
	return true;
}

void rfs_sync_own(struct rfs_sync_thread *thread, rfs_addr lock)
{
	sync_hold_of(thread, lock)->owned = true;
}

bool rfs_sync_holds(const struct rfs_sync_thread *thread, rfs_addr lock)
{
	return sync_hold_of(thread, lock) != NULL;
}

int rfs_sync_holder(const struct rfs_sync *sync, rfs_addr lock, const struct rfs_sync_thread *but)
{
	for (size_t i = 0; i < sync->n_threads; i++) {
		const struct rfs_sync_thread *t = sync->threads[i];

		if (t != but && !t->ended && rfs_sync_holds(t, lock))
			return (int)i;
	}
	return -1;
}

int rfs_sync_unlocks(const struct rfs_sync *sync, const struct rfs_sync_thread *thread, rfs_addr lock)
{
	for (size_t i = 0; i < sync->n_threads; i++)
		if (sync->threads[i] == thread && rfs_sync_holds(thread, lock))
			return (int)i;
	return rfs_sync_holder(sync, lock, thread);
}
