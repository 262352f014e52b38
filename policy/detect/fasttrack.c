/*
 * fasttrack.c - race detection by the full happens-before relation (Flanagan & Freund, FastTrack: Efficient and Precise
 * Dynamic Race Detection, PLDI 2009).
 *
 * Two accesses race if they are of different threads and overlap, at least one writes, not both are atomic, and neither
 * happens before the other (full_order.h). So a race is reported only if the two accesses were really unordered in this
 * run.
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
#include "policy/core/lockset.h"
#include "policy/core/options.h"
#include "policy/detect/full_order.h"
#include "policy/detect/pairset.h"
#include "policy/detector_memory.h"
#include "policy/shadow/history.h"

struct fasttrack {
	struct rfs_full_order order;
	struct rfs_locksets *locksets; /* only for the report */
	struct rfs_history *history;
	struct rfs_pairset pairs;
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

/* An atomic read acquires from the word before it is compared with past accesses, a plain read only afterwards. */
static void fasttrack_accesses(void *opaque, int thread, const struct rfs_access *accesses, size_t n)
{
	struct fasttrack *fasttrack = opaque;
	const struct rfs_vclock *clock = rfs_hb_clock(&fasttrack->order.hb, thread);
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
			word = rfs_full_order_before(&fasttrack->order, thread, &accesses[i]);
		} else if (how & RFS_ACCESS_ALIGNED_MOVE) {
			word = rfs_sync_word_find_atomic(&fasttrack->order.words, accesses[i].address);
		}
		access.access &= ~(unsigned)(RFS_ACCESS_LEARNS | RFS_ACCESS_TELLS | RFS_ACCESS_TAKES);
		rfs_history_add(fasttrack->history, &who, &access, 1);
		if (!word)
			continue;
		if (!(how & RFS_ACCESS_ATOMIC) && (how & RFS_ACCESS_READ))
			rfs_hb_learn(&fasttrack->order.hb, thread, &word->writer);
		rfs_full_order_after(&fasttrack->order, thread, how, word);
		who.time = rfs_vclock_get(clock, (uint32_t)thread);
	}
}

static void fasttrack_event(void *opaque, const struct rfs_event *event)
{
	struct fasttrack *fasttrack = opaque;

	rfs_full_order_event(&fasttrack->order, fasttrack->locksets, event);
	switch (event->kind) {
	case RFS_EVENT_OP:
		if (event->op.kind == RFS_OP_EXIT)
			rfs_history_ended(fasttrack->history, (uint32_t)event->thread);
		break;
	case RFS_EVENT_ACCESS:
		fasttrack_accesses(
			fasttrack, event->thread,
			&(struct rfs_access){event->op.site, event->op.object, event->op.size, event->op.access}, 1);
		break;
	case RFS_EVENT_ACQUIRE:
		rfs_locksets_acquire(fasttrack->locksets, event->thread, event->op.object,
				     event->op.kind == RFS_OP_RDLOCK);
		break;
	case RFS_EVENT_RELEASE:
		rfs_locksets_release(fasttrack->locksets, event->thread, event->op.object);
		break;
	case RFS_EVENT_RESET:
		if (!event->op.size)
			break;
		rfs_locksets_reset(fasttrack->locksets, event->op.object, event->op.size);
		rfs_history_reset(fasttrack->history, event->op.object, event->op.size);
		break;
	case RFS_EVENT_SEND:
	case RFS_EVENT_RECEIVE:
	case RFS_EVENT_FORGET:
	case RFS_EVENT_THREAD:
	case RFS_EVENT_LAST_DROP:
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

	rfs_full_order_release(&fasttrack->order);
	rfs_history_free(fasttrack->history);
	rfs_pairset_release(&fasttrack->pairs);
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
