/* After a signal, the waiter still waits for its mutex, but no other signal can wake it. */
#include "supervisor/model/cond.h"

#include "disasm/addr.h"
#include "supervisor/model/sync.h"

void rfs_cond_sleep(struct rfs_sync *sync, struct rfs_sync_thread *thread, rfs_addr cond, rfs_addr mutex)
{
	thread->cond =
		(struct rfs_cond_wait){.active = true, .cond = cond, .mutex = mutex, .order = sync->next_order++};
}

static bool can_be_signalled(const struct rfs_sync_thread *thread, rfs_addr cond)
{
	return thread->cond.active && !thread->cond.signalled && thread->cond.cond == cond;
}

static struct rfs_sync_thread *longest_waiting(const struct rfs_sync *sync, rfs_addr cond)
{
	struct rfs_sync_thread *first = NULL;

	for (size_t i = 0; i < sync->n_threads; i++) {
		struct rfs_sync_thread *t = sync->threads[i];

		if (can_be_signalled(t, cond) && (!first || t->cond.order < first->cond.order))
			first = t;
	}
	return first;
}

bool rfs_cond_signal(struct rfs_sync *sync, rfs_addr cond, int chosen, uint64_t message)
{
	struct rfs_sync_thread *waiter = NULL;

	if (chosen >= 0 && (size_t)chosen < sync->n_threads)
		waiter = sync->threads[chosen];
	if (!waiter || !can_be_signalled(waiter, cond))
		waiter = longest_waiting(sync, cond);
	if (!waiter)
		return false;
	waiter->cond.signalled = true;
	waiter->cond.message = message;
	return true;
}

size_t rfs_cond_broadcast(struct rfs_sync *sync, rfs_addr cond, uint64_t message)
{
	size_t woken = 0;

	while (rfs_cond_signal(sync, cond, -1, message))
		woken++;
	return woken;
}

bool rfs_cond_message_is_last(const struct rfs_sync *sync, const struct rfs_sync_thread *thread, uint64_t message)
{
	for (size_t i = 0; i < sync->n_threads; i++) {
		const struct rfs_sync_thread *t = sync->threads[i];

		if (t != thread && t->cond.active && t->cond.signalled && t->cond.message == message)
			return false;
	}
	return true;
}
