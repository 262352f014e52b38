/*
 * fasttrack.c - race detection by the full happens-before relation (Flanagan & Freund, FastTrack: Efficient and Precise
 * Dynamic Race Detection, PLDI 2009).
 *
 * Two accesses race if they are of different threads and overlap, at least one writes, not both are atomic, and neither
 * happens before the other. So a race is reported only if the two accesses were really unordered in this run.
 * Happens-before is:
 *
 *  - program order;
 *  - messages: thread start and end, condition variables, semaphores, barriers, once, pipes and similar channels;
 *  - from the release of a lock to later acquisitions of it; from the release of a shared hold only to exclusive ones;
 *  - from an atomic write to a later atomic read of the same address, if no store of a third thread came between.
 *
 * Atomic instructions acquire and release. Compilers make plain moves of acquire loads and release stores, so these
 * look like ordinary accesses. Therefore a plain move also acquires or releases if an atomic instruction has accessed
 * that address. It does so only after it was compared with past accesses. So a race on the flag itself is still
 * reported, but no race on what the flag guards. In the same way, a plain read of a word that a message was sent with
 * receives the message.
 */
#include "policy/builtin.h"

#include <stdlib.h>

#include "policy/core/alloc.h"
#include "policy/core/hb.h"
#include "policy/core/lockset.h"
#include "policy/core/options.h"
#include "policy/detect/pairset.h"
#include "policy/detect/sync_words.h"
#include "policy/detector_memory.h"
#include "policy/shadow/history.h"

struct fasttrack {
	struct rfs_hb hb;
	struct rfs_locksets *locksets; /* only for the report */
	struct rfs_history *history;
	struct rfs_pairset pairs;
	struct rfs_sync_words words; /* locks and atomic words */
};

static void fasttrack_add_pair(void *arg, const struct rfs_history_access *earlier,
			       const struct rfs_history_access *later)
{
	struct fasttrack *fasttrack = arg;

	rfs_pairset_add(&fasttrack->pairs, earlier, later);
}

static int fasttrack_init(void **out, const struct rfs_policy_args *args)
{
	struct fasttrack *fasttrack;
	int err = rfs_policy_options_parse(args->options, NULL, 0);

	if (err)
		return err;
	fasttrack = rfs_policy_zalloc(1, sizeof(*fasttrack));
	fasttrack->locksets = rfs_locksets_new();
	fasttrack->history = rfs_history_new(fasttrack->locksets, RFS_HISTORY_FASTTRACK, fasttrack_add_pair, fasttrack);
	rfs_history_limit(fasttrack->history, args->memory);
	*out = fasttrack;
	return 0;
}

/* ---- events ---- */

/*
 * An atomic read acquires from the word before it is compared with past accesses, a plain read only afterwards. A write
 * releases to the word afterwards. A read-modify-write adds its clock to what is there, because it continues the
 * release sequence of the last store. A store puts its clock in place of what is there: its readers learn nothing of
 * earlier stores.
 */
static void fasttrack_accesses(void *opaque, int thread, const struct rfs_access *accesses, size_t n)
{
	struct fasttrack *fasttrack = opaque;
	const struct rfs_vclock *clock = rfs_hb_clock(&fasttrack->hb, thread);
	struct rfs_history_thread who = {
		.number = (uint32_t)thread,
		.time = rfs_vclock_get(clock, (uint32_t)thread),
		.locks = rfs_locksets_held(fasttrack->locksets, thread),
		.knows = clock,
		.clock = clock,
	};

	for (size_t i = 0; i < n; i++) {
		const unsigned how = accesses[i].access;
		struct rfs_access access = accesses[i];
		struct rfs_sync_word *word = NULL;

		if (how & RFS_ACCESS_ATOMIC) {
			word = rfs_sync_word_make_atomic(&fasttrack->words, accesses[i].address);
			if (how & RFS_ACCESS_READ)
				rfs_hb_learn(&fasttrack->hb, thread, &word->writer);
		} else if (how & RFS_ACCESS_ALIGNED_MOVE) {
			word = rfs_sync_word_find_atomic(&fasttrack->words, accesses[i].address);
		}
		access.access &= ~(unsigned)(RFS_ACCESS_LEARNS | RFS_ACCESS_TELLS | RFS_ACCESS_TAKES);
		rfs_history_add(fasttrack->history, &who, &access, 1);
		if (!word)
			continue;
		if (!(how & RFS_ACCESS_ATOMIC) && (how & RFS_ACCESS_READ))
			rfs_hb_learn(&fasttrack->hb, thread, &word->writer);
		if (how & RFS_ACCESS_WRITE) {
			if (!(how & RFS_ACCESS_READ))
				rfs_vclock_clear(&word->writer);
			rfs_hb_tell(&fasttrack->hb, thread, &word->writer);
		}
		who.time = rfs_vclock_get(clock, (uint32_t)thread);
	}
}

static void on_send(struct fasttrack *fasttrack, const struct rfs_event *event)
{
	struct rfs_sync_word *word;

	if (event->op.size) {
		word = rfs_sync_word_make_atomic(&fasttrack->words, event->op.object);
		rfs_vclock_join(&word->writer, rfs_hb_clock(&fasttrack->hb, event->thread));
	}
	rfs_hb_send(&fasttrack->hb, event->thread, event->message);
}

static void on_acquire(struct fasttrack *fasttrack, int thread, const struct rfs_op *op)
{
	struct rfs_sync_word *lock = rfs_sync_word_get(&fasttrack->words, op->object);
	bool shared = op->kind == RFS_OP_RDLOCK;

	rfs_locksets_acquire(fasttrack->locksets, thread, op->object, shared);
	rfs_hb_learn(&fasttrack->hb, thread, &lock->writer);
	if (shared)
		return;
	rfs_hb_learn(&fasttrack->hb, thread, &lock->reader);
	lock->holds = lock->owner == thread ? lock->holds + 1 : 1;
	lock->owner = thread;
}

/*
 * `thread` is the releasing thread. It may not be the owner of the mutex; then its own past counts, not that of the
 * owner.
 */
static void on_release(struct fasttrack *fasttrack, int thread, const struct rfs_op *op)
{
	struct rfs_sync_word *lock = rfs_sync_word_get(&fasttrack->words, op->object);

	rfs_locksets_release(fasttrack->locksets, thread, op->object);
	if (lock->owner < 0) {
		rfs_hb_tell(&fasttrack->hb, thread, &lock->reader);
		return;
	}
	rfs_hb_tell(&fasttrack->hb, thread, &lock->writer);
	if (--lock->holds == 0)
		lock->owner = -1;
}

/* A thread ends while it holds locks. The kernel passes robust mutexes on to the next owner. So all that the thread did
 * happens before the next acquisition. */
static void on_exit_op(struct fasttrack *fasttrack, int thread)
{
	size_t n;
	rfs_addr *locks =
		rfs_locksets_addresses(fasttrack->locksets, rfs_locksets_held(fasttrack->locksets, thread), &n);

	for (size_t i = 0; i < n; i++) {
		struct rfs_sync_word *lock = rfs_sync_word_find(&fasttrack->words, locks[i]);

		if (!lock || lock->owner != thread)
			continue;
		rfs_hb_tell(&fasttrack->hb, thread, &lock->writer);
		lock->owner = -1;
	}
	free(locks);
}

static void fasttrack_on_reset(struct fasttrack *fasttrack, rfs_addr address, uint64_t size)
{
	if (size == 0)
		return;
	rfs_locksets_reset(fasttrack->locksets, address, size);
	rfs_history_reset(fasttrack->history, address, size);
	rfs_sync_words_reset(&fasttrack->words, address, size);
}

static void fasttrack_event(void *opaque, const struct rfs_event *event)
{
	struct fasttrack *fasttrack = opaque;

	switch (event->kind) {
	case RFS_EVENT_OP:
		if (event->op.kind != RFS_OP_EXIT)
			break;
		on_exit_op(fasttrack, event->thread);
		rfs_history_ended(fasttrack->history, (uint32_t)event->thread);
		break;
	case RFS_EVENT_ACCESS:
		fasttrack_accesses(
			fasttrack, event->thread,
			&(struct rfs_access){event->op.site, event->op.object, event->op.size, event->op.access}, 1);
		break;
	case RFS_EVENT_ACQUIRE:
		on_acquire(fasttrack, event->thread, &event->op);
		break;
	case RFS_EVENT_RELEASE:
		on_release(fasttrack, event->thread, &event->op);
		break;
	case RFS_EVENT_SEND:
		on_send(fasttrack, event);
		break;
	case RFS_EVENT_RECEIVE:
		rfs_hb_receive(&fasttrack->hb, event->thread, event->message);
		break;
	case RFS_EVENT_FORGET:
		rfs_hb_forget(&fasttrack->hb, event->message);
		break;
	case RFS_EVENT_RESET:
		fasttrack_on_reset(fasttrack, event->op.object, event->op.size);
		break;
	case RFS_EVENT_THREAD:
		rfs_hb_thread(&fasttrack->hb, event->thread, event->op.peer);
		break;
	case RFS_EVENT_LAST_DROP: /* the count's read-modify-writes are ordered anyway */
	case RFS_EVENT_LEFT:
		break;
	}
}

static void fasttrack_report(void *opaque,
			     void (*emit)(void *arg, const struct rfs_race_access *a, const struct rfs_race_access *b),
			     void *arg)
{
	struct fasttrack *fasttrack = opaque;

	rfs_pairset_report(&fasttrack->pairs, fasttrack->locksets, emit, arg);
}

static struct rfs_detector_memory fasttrack_memory(const void *opaque)
{
	const struct fasttrack *fasttrack = opaque;

	return rfs_history_memory(fasttrack->history);
}

static void fasttrack_fini(void *opaque)
{
	struct fasttrack *fasttrack = opaque;

	rfs_sync_words_release(&fasttrack->words);
	rfs_history_free(fasttrack->history);
	rfs_pairset_release(&fasttrack->pairs);
	rfs_hb_release(&fasttrack->hb);
	rfs_locksets_free(fasttrack->locksets);
	free(fasttrack);
}

const struct rfs_detector_ops rfs_detector_fasttrack = {
	.abi = RFS_POLICY_ABI,
	.name = "fasttrack",
	.summary = "finds races that occurred, by the full happens-before relation (PLDI 2009)",
	.init = fasttrack_init,
	.event = fasttrack_event,
	.accesses = fasttrack_accesses,
	.report = fasttrack_report,
	.fini = fasttrack_fini,
	.memory = fasttrack_memory,
};
