/*
 * hybrid.c - hybrid race detection: locksets, and a happens-before relation without lock edges (O'Callahan & Choi,
 * Hybrid Dynamic Data Race Detection, PPoPP 2003, as summarised in Sen, PLDI 2008, section 2.2).
 *
 * Two accesses may race if they are of different threads, overlap, and at least one writes. Also, no lock that both
 * threads hold may protect them from each other (lockset.h), and neither may happen before the other.
 *
 * Happens-before is program order and messages: thread start and end, signal to wait, post to wait, barrier, once.
 * Channels through the kernel (pipes, sockets, eventfds, signals) send messages too. The order of a lock's release and
 * acquire does not count, because in another run it may be reversed. So pairs are found even if they were ordered in
 * this run: the result is a prediction.
 *
 * An atomic load learns what the last atomic store to the same address published, and what exchanges and updates of
 * flags have published since (RFS_ACCESS_TELLS). So data that these hand over to an acquire load makes no pair. Other
 * read-modify-writes publish nothing to loads: a thread that reads a count rarely knows that all who counted are done.
 * A read-modify-write learns nothing: like the order of a lock, the order of two of them may be reversed in another
 * run. But a compare-exchange that found a constant comes after the store of this constant, and a failed one is only a
 * load (RFS_ACCESS_TAKES).
 *
 * An atomic access that reads a pointer is different (RFS_ACCESS_LEARNS): it cannot come before the access that wrote
 * the pointer. So is a load that finds zero in a count, if other threads have counted it down. Both learn what stores
 * and all read-modify-writes of the word have published. The thread that drops the last reference to a block learns
 * what the other drops published, but only for accesses to this block (last_drops.h). So does a thread that finds a
 * flag of the block set when it sets the flag itself.
 *
 * A pair that locks or atomic accesses kept in one order whenever it was seen is marked: a schedule in which nothing
 * orders it may not exist. For that, the detector also keeps the full order of the run (full_order.h).
 *
 * There are two more detectors, which find the same pairs in two passes of one run. The first pass finds the places of
 * races and forgets the statements (RFS_HISTORY_PLACES). It saves the suspects. The second pass knows the suspects from
 * its beginning and remembers accesses to them only. Locks and happens-before are the same in all three detectors.
 */
#include "policy/builtin.h"

#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"
#include "policy/core/hb.h"
#include "policy/core/lockset.h"
#include "policy/core/options.h"
#include "policy/detect/full_order.h"
#include "policy/detect/last_drops.h"
#include "policy/detect/pairset.h"
#include "policy/detect/sync_words.h"
#include "policy/detector_memory.h"
#include "policy/passes.h"
#include "policy/shadow/history.h"

struct hybrid {
	struct rfs_hb hb;
	struct rfs_locksets *locksets;
	struct rfs_history *history;
	struct rfs_pairset pairs;
	struct rfs_sync_words words; /* that atomic stores have written */
	struct rfs_last_drops drops;
	struct rfs_full_order full;   /* which pairs of accesses something kept in order in this run */
	bool orders;		      /* full is used: this detector reports pairs */
	uint64_t check;		      /* checksum of events and messages (passes.h) */
	bool limited;		      /* this is the second pass */
	struct rfs_suspects suspects; /* of the second pass */
};

static void hybrid_add_pair(void *arg, const struct rfs_history_access *earlier, const struct rfs_history_access *later)
{
	struct hybrid *hybrid = arg;

	rfs_pairset_add(&hybrid->pairs, earlier, later);
}

static int init_with(enum rfs_history_rule rule, void **out, const struct rfs_policy_args *args)
{
	struct hybrid *hybrid;
	int err = rfs_policy_options_parse(args->options, NULL, 0);

	if (err)
		return err;
	hybrid = rfs_policy_zalloc(1, sizeof(*hybrid));
	hybrid->locksets = rfs_locksets_new();
	hybrid->history = rfs_history_new(hybrid->locksets, rule, hybrid_add_pair, hybrid);
	hybrid->orders = rule == RFS_HISTORY_HYBRID;
	rfs_history_limit(hybrid->history, args->memory);
	*out = hybrid;
	return 0;
}

static void hybrid_fini(void *opaque)
{
	struct hybrid *hybrid = opaque;

	rfs_suspects_release(&hybrid->suspects);
	rfs_last_drops_release(&hybrid->drops);
	rfs_sync_words_release(&hybrid->words);
	rfs_full_order_release(&hybrid->full);
	rfs_hb_release(&hybrid->hb);
	rfs_pairset_release(&hybrid->pairs);
	rfs_history_free(hybrid->history);
	rfs_locksets_free(hybrid->locksets);
	free(hybrid);
}

static int hybrid_init(void **out, const struct rfs_policy_args *args)
{
	return init_with(RFS_HISTORY_HYBRID, out, args);
}

static int places_init(void **out, const struct rfs_policy_args *args)
{
	return init_with(RFS_HISTORY_PLACES, out, args);
}

static int limited_init(void **out, const struct rfs_policy_args *args)
{
	int err = init_with(RFS_HISTORY_HYBRID, out, args);
	struct hybrid *hybrid = *out;

	if (err)
		return err;
	hybrid->limited = true;
	if (args->blob && args->blob->size >= RFS_PASSES_CHECK) {
		const struct rfs_blob suspects = {(char *)args->blob->data + RFS_PASSES_CHECK,
						  args->blob->size - RFS_PASSES_CHECK};

		err = rfs_suspects_load(&hybrid->suspects, &suspects);
		rfs_history_expect(hybrid->history, &hybrid->suspects);
	}
	if (err)
		hybrid_fini(hybrid);
	return err;
}

/* Adds accesses that a thread made one after the other. */
static void hybrid_remember(struct hybrid *hybrid, const struct rfs_history_thread *who,
			    const struct rfs_access *accesses, size_t n)
{
	size_t first = 0;

	for (size_t i = 0; hybrid->limited && i < n; i++) {
		if (rfs_suspects_any(&hybrid->suspects, accesses[i].address, accesses[i].size))
			continue;
		if (i > first)
			rfs_history_add(hybrid->history, who, &accesses[first], i - first);
		first = i + 1;
	}
	if (n > first)
		rfs_history_add(hybrid->history, who, &accesses[first], n - first);
}

static void add_atomic(struct hybrid *hybrid, int thread, const struct rfs_access *access,
		       struct rfs_history_thread *who)
{
	const unsigned how = access->access & (RFS_ACCESS_READ | RFS_ACCESS_WRITE);
	const bool learns = access->access & RFS_ACCESS_LEARNS;
	struct rfs_access unmarked = *access;
	struct rfs_sync_word *word = how == RFS_ACCESS_READ
					     ? rfs_sync_word_find_atomic(&hybrid->words, access->address)
					     : rfs_sync_word_make_atomic(&hybrid->words, access->address);

	if (word && (learns || how == RFS_ACCESS_READ || (access->access & RFS_ACCESS_TAKES)))
		rfs_hb_learn(&hybrid->hb, thread, &word->writer);
	if (word && learns)
		rfs_hb_learn(&hybrid->hb, thread, &word->updater);
	unmarked.access &= ~(unsigned)(RFS_ACCESS_LEARNS | RFS_ACCESS_TELLS | RFS_ACCESS_TAKES);
	hybrid_remember(hybrid, who, &unmarked, 1);
	/* the last is a compare-exchange that failed */
	if (how == RFS_ACCESS_READ || ((access->access & RFS_ACCESS_TAKES) && !(access->access & RFS_ACCESS_TELLS)))
		return;
	if (how == RFS_ACCESS_WRITE) {
		rfs_vclock_clear(&word->writer);
		rfs_vclock_clear(&word->updater);
	} else {
		rfs_last_drops_tell(&hybrid->drops, thread, &word->updater);
	}
	if (access->access & RFS_ACCESS_TELLS)
		rfs_vclock_join(&word->writer, who->knows);
	rfs_hb_tell(&hybrid->hb, thread, how == RFS_ACCESS_WRITE ? &word->writer : &word->updater);
	who->time = rfs_vclock_get(who->knows, (uint32_t)thread);
}

static void add_plain(struct hybrid *hybrid, const struct rfs_history_thread *who, const struct rfs_access *accesses,
		      size_t n)
{
	if (!rfs_last_drops_any(&hybrid->drops, (int)who->number)) {
		hybrid_remember(hybrid, who, accesses, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct rfs_history_thread owner = *who;

		owner.knows = rfs_last_drops_knows(&hybrid->drops, (int)who->number, &accesses[i], who->knows);
		hybrid_remember(hybrid, &owner, &accesses[i], 1);
		if ((accesses[i].access & RFS_ACCESS_FREE) && accesses[i].size)
			rfs_last_drops_reset(&hybrid->drops, accesses[i].address, accesses[i].size);
	}
}

static struct rfs_history_thread thread_now(struct hybrid *hybrid, int thread)
{
	const struct rfs_vclock *clock = rfs_hb_clock(&hybrid->hb, thread);

	return (struct rfs_history_thread){
		.number = (uint32_t)thread,
		.time = rfs_vclock_get(clock, (uint32_t)thread),
		.locks = rfs_locksets_held(hybrid->locksets, thread),
		.knows = clock,
		.clock = clock,
		.full = hybrid->orders ? rfs_hb_clock(&hybrid->full.hb, thread) : NULL,
	};
}

static void hybrid_accesses(void *opaque, int thread, const struct rfs_access *accesses, size_t n)
{
	struct hybrid *hybrid = opaque;
	struct rfs_history_thread who = thread_now(hybrid, thread);
	size_t done = 0;

	for (size_t i = 0; i < n; i++) {
		struct rfs_sync_word *word;

		if (!(accesses[i].access & RFS_ACCESS_ATOMIC))
			continue;
		add_plain(hybrid, &who, accesses + done, i - done);
		word = hybrid->orders ? rfs_full_order_before(&hybrid->full, thread, &accesses[i]) : NULL;
		add_atomic(hybrid, thread, &accesses[i], &who);
		if (word)
			rfs_full_order_after(&hybrid->full, thread, accesses[i].access, word);
		done = i + 1;
	}
	add_plain(hybrid, &who, accesses + done, n - done);
}

static void places_run(void *opaque, int thread, const struct rfs_access *first, int64_t distance, size_t n)
{
	struct hybrid *hybrid = opaque;
	const struct rfs_history_thread who = thread_now(hybrid, thread);
	struct rfs_access access = *first;

	if (!rfs_last_drops_any(&hybrid->drops, thread)) {
		rfs_history_add_run(hybrid->history, &who, first, distance, n);
		return;
	}
	for (size_t i = 0; i < n; i++, access.address += (uint64_t)distance)
		add_plain(hybrid, &who, &access, 1);
}

static void on_last(struct hybrid *hybrid, const struct rfs_event *event)
{
	const struct rfs_sync_word *count = rfs_sync_word_find_atomic(&hybrid->words, event->op.object2);

	if (count && event->op.size)
		rfs_last_drops_add(&hybrid->drops, event->thread, event->op.object, event->op.size,
				   rfs_hb_clock(&hybrid->hb, event->thread), &count->updater);
}

static void hybrid_on_reset(struct hybrid *hybrid, rfs_addr address, uint64_t size)
{
	if (size == 0)
		return;
	rfs_locksets_reset(hybrid->locksets, address, size);
	rfs_history_reset(hybrid->history, address, size);
	rfs_sync_words_reset(&hybrid->words, address, size);
	rfs_last_drops_reset(&hybrid->drops, address, size);
}

/* If both passes have the same order, they have the same messages from which a thread learns something. */
static void on_receive(struct hybrid *hybrid, const struct rfs_event *event)
{
	const uint64_t version = rfs_hb_clock(&hybrid->hb, event->thread)->version;

	rfs_hb_receive(&hybrid->hb, event->thread, event->message);
	if (rfs_hb_clock(&hybrid->hb, event->thread)->version != version)
		hybrid->check += ((uint64_t)event->thread + 1) << 48;
}

static void hybrid_event(void *opaque, const struct rfs_event *event)
{
	struct hybrid *hybrid = opaque;

	hybrid->check += event->op.object * (event->kind + 1);
	if (hybrid->orders)
		rfs_full_order_event(&hybrid->full, hybrid->locksets, event);
	switch (event->kind) {
	case RFS_EVENT_OP:
		if (event->op.kind == RFS_OP_EXIT)
			rfs_history_ended(hybrid->history, (uint32_t)event->thread);
		break;
	case RFS_EVENT_ACCESS:
		hybrid_accesses(
			hybrid, event->thread,
			&(struct rfs_access){event->op.site, event->op.object, event->op.size, event->op.access}, 1);
		break;
	case RFS_EVENT_ACQUIRE:
		rfs_locksets_acquire(hybrid->locksets, event->thread, event->op.object,
				     event->op.kind == RFS_OP_RDLOCK);
		break;
	case RFS_EVENT_RELEASE:
		rfs_locksets_release(hybrid->locksets, event->thread, event->op.object);
		break;
	case RFS_EVENT_SEND:
		rfs_hb_send(&hybrid->hb, event->thread, event->message);
		break;
	case RFS_EVENT_RECEIVE:
		on_receive(hybrid, event);
		break;
	case RFS_EVENT_FORGET:
		rfs_hb_forget(&hybrid->hb, event->message);
		break;
	case RFS_EVENT_RESET:
		hybrid_on_reset(hybrid, event->op.object, event->op.size);
		break;
	case RFS_EVENT_THREAD:
		rfs_hb_thread(&hybrid->hb, event->thread, event->op.peer);
		break;
	case RFS_EVENT_LAST_DROP:
		on_last(hybrid, event);
		break;
	case RFS_EVENT_LEFT:
		break;
	}
}

static void hybrid_report(void *opaque,
			  void (*emit)(void *arg, const struct rfs_race_access *a, const struct rfs_race_access *b),
			  void *arg)
{
	struct hybrid *hybrid = opaque;

	rfs_pairset_report(&hybrid->pairs, hybrid->locksets, emit, arg);
}

static struct rfs_detector_memory hybrid_memory(const void *opaque)
{
	const struct hybrid *hybrid = opaque;

	return rfs_history_memory(hybrid->history);
}

static void hybrid_save(void *opaque, struct rfs_blob *out)
{
	const struct hybrid *hybrid = opaque;
	struct rfs_blob suspects = {0};
	char *bytes;

	if (!hybrid->limited)
		rfs_suspects_save(rfs_history_suspects(hybrid->history), &suspects);
	*out = (struct rfs_blob){0};
	if (!hybrid->limited && !suspects.size)
		return;
	bytes = rfs_policy_zalloc(RFS_PASSES_CHECK + suspects.size, 1);
	memcpy(bytes, &hybrid->check, RFS_PASSES_CHECK);
	if (suspects.size)
		memcpy(bytes + RFS_PASSES_CHECK, suspects.data, suspects.size);
	*out = (struct rfs_blob){bytes, RFS_PASSES_CHECK + suspects.size};
	free(suspects.data);
}

static void saved_places(const struct rfs_blob *blob, void (*f)(void *arg, rfs_addr address, uint64_t size), void *arg)
{
	const struct rfs_blob suspects = {(char *)blob->data + RFS_PASSES_CHECK, blob->size - RFS_PASSES_CHECK};

	/* limited_init() has read the same bytes */
	if (blob->size >= RFS_PASSES_CHECK)
		(void)!rfs_suspects_saved(&suspects, f, arg);
}

#define NAME "hybrid"
#define SUMMARY "predicts races from locksets and a happens-before relation without lock edges (PPoPP 2003)"

static const struct rfs_detector_passes passes;

/* All three detectors have one name, because a run is the same with each of them, and a record names the detector. */
static const struct rfs_detector_ops places = {
	.abi = RFS_POLICY_ABI,
	.name = NAME,
	.summary = SUMMARY,
	.init = places_init,
	.event = hybrid_event,
	.accesses = hybrid_accesses,
	.report = hybrid_report,
	.fini = hybrid_fini,
	.passes = &passes,
	.memory = hybrid_memory,
};

static const struct rfs_detector_ops limited = {
	.abi = RFS_POLICY_ABI,
	.name = NAME,
	.summary = SUMMARY,
	.init = limited_init,
	.event = hybrid_event,
	.accesses = hybrid_accesses,
	.report = hybrid_report,
	.fini = hybrid_fini,
	.passes = &passes,
	.memory = hybrid_memory,
};

static const struct rfs_detector_passes passes = {&places, &limited, hybrid_save, saved_places, places_run};

const struct rfs_detector_ops rfs_detector_hybrid = {
	.abi = RFS_POLICY_ABI,
	.name = NAME,
	.summary = SUMMARY,
	.init = hybrid_init,
	.event = hybrid_event,
	.accesses = hybrid_accesses,
	.report = hybrid_report,
	.fini = hybrid_fini,
	.passes = &passes,
	.memory = hybrid_memory,
};
