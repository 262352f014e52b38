/* full_order.c - what each event tells of the order, through the clocks of threads, messages, locks and atomic words.
 */
#include "policy/detect/full_order.h"

#include <stdbool.h>
#include <stdlib.h>

#include "policy/core/lockset.h"
#include "policy/policy.h"

static void on_send(struct rfs_full_order *order, const struct rfs_event *event)
{
	struct rfs_sync_word *word;

	if (event->op.size) {
		word = rfs_sync_word_make_atomic(&order->words, event->op.object);
		rfs_vclock_join(&word->writer, rfs_hb_clock(&order->hb, event->thread));
	}
	rfs_hb_send(&order->hb, event->thread, event->message);
}

static void on_acquire(struct rfs_full_order *order, int thread, const struct rfs_op *op)
{
	struct rfs_sync_word *lock = rfs_sync_word_get(&order->words, op->object);

	rfs_hb_learn(&order->hb, thread, &lock->writer);
	if (op->kind == RFS_OP_RDLOCK)
		return;
	rfs_hb_learn(&order->hb, thread, &lock->reader);
	lock->holds = lock->owner == thread ? lock->holds + 1 : 1;
	lock->owner = thread;
}

/*
 * `thread` is the releasing thread. It may not be the owner of the mutex; then its own past counts, not that of the
 * owner.
 */
static void on_release(struct rfs_full_order *order, int thread, const struct rfs_op *op)
{
	struct rfs_sync_word *lock = rfs_sync_word_get(&order->words, op->object);

	if (lock->owner < 0) {
		rfs_hb_tell(&order->hb, thread, &lock->reader);
		return;
	}
	rfs_hb_tell(&order->hb, thread, &lock->writer);
	if (--lock->holds == 0)
		lock->owner = -1;
}

/* A thread ends while it holds locks. The kernel passes robust mutexes on to the next owner. So all that the thread did
 * happens before the next acquisition. */
static void on_exit_op(struct rfs_full_order *order, struct rfs_locksets *locksets, int thread)
{
	size_t n;
	rfs_addr *locks = rfs_locksets_addresses(locksets, rfs_locksets_held(locksets, thread), &n);

	for (size_t i = 0; i < n; i++) {
		struct rfs_sync_word *lock = rfs_sync_word_find(&order->words, locks[i]);

		if (!lock || lock->owner != thread)
			continue;
		rfs_hb_tell(&order->hb, thread, &lock->writer);
		lock->owner = -1;
	}
	free(locks);
}

void rfs_full_order_event(struct rfs_full_order *order, struct rfs_locksets *locksets, const struct rfs_event *event)
{
	switch (event->kind) {
	case RFS_EVENT_OP:
		if (event->op.kind == RFS_OP_EXIT)
			on_exit_op(order, locksets, event->thread);
		break;
	case RFS_EVENT_ACQUIRE:
		on_acquire(order, event->thread, &event->op);
		break;
	case RFS_EVENT_RELEASE:
		on_release(order, event->thread, &event->op);
		break;
	case RFS_EVENT_SEND:
		on_send(order, event);
		break;
	case RFS_EVENT_RECEIVE:
		rfs_hb_receive(&order->hb, event->thread, event->message);
		break;
	case RFS_EVENT_FORGET:
		rfs_hb_forget(&order->hb, event->message);
		break;
	case RFS_EVENT_RESET:
		if (event->op.size)
			rfs_sync_words_reset(&order->words, event->op.object, event->op.size);
		break;
	case RFS_EVENT_THREAD:
		rfs_hb_thread(&order->hb, event->thread, event->op.peer);
		break;
	case RFS_EVENT_ACCESS:
	case RFS_EVENT_LAST_DROP: /* the count's read-modify-writes are ordered anyway */
	case RFS_EVENT_LEFT:
		break;
	}
}

struct rfs_sync_word *rfs_full_order_before(struct rfs_full_order *order, int thread, const struct rfs_access *access)
{
	struct rfs_sync_word *word = rfs_sync_word_make_atomic(&order->words, access->address);

	if (access->access & RFS_ACCESS_READ)
		rfs_hb_learn(&order->hb, thread, &word->writer);
	return word;
}

void rfs_full_order_after(struct rfs_full_order *order, int thread, unsigned access, struct rfs_sync_word *word)
{
	if (!(access & RFS_ACCESS_WRITE))
		return;
	if (!(access & RFS_ACCESS_READ))
		rfs_vclock_clear(&word->writer);
	rfs_hb_tell(&order->hb, thread, &word->writer);
}

void rfs_full_order_release(struct rfs_full_order *order)
{
	rfs_sync_words_release(&order->words);
	rfs_hb_release(&order->hb);
}
