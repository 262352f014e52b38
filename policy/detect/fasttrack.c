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
 *  - from an atomic write to a later atomic read of the same address.
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
#include "policy/core/pagemap.h"
#include "policy/detect/pairset.h"
#include "policy/shadow/history.h"

/* A lock, or a word that atomic instructions have accessed. */
struct sync {
	rfs_addr address;
	struct sync *next;	  /* the next one in the same page */
	int owner;		  /* thread with the exclusive hold; -1: none */
	unsigned holds;		  /* number of holds of the owner (recursive locks) */
	struct rfs_vclock writer; /* joined clocks of exclusive holders, or of atomic writers */
	struct rfs_vclock reader; /* joined clocks of shared holders; only exclusive acquisitions learn it */
	bool atomic;
};

#define RECENT_SHIFT 12
#define FILTER_SHIFT 17 /* 16 KiB: fits into the first-level cache, and a thousand atomic words fill less than 1 % */

struct fasttrack {
	struct rfs_hb hb;
	struct rfs_locksets *locksets; /* only for the report */
	struct rfs_history *history;
	struct rfs_pairset pairs;
	struct rfs_pagemap syncs; /* by page: struct sync_page */
	/* A cache of recent lookups, by address. An entry is cleared when its memory gets a new use. */
	struct sync *recent[1u << RECENT_SHIFT];
	/* A Bloom filter of the addresses of atomic words. It is fast to check, and most plain accesses are not to an
	 * atomic word. */
	uint64_t atomics[(1u << FILTER_SHIFT) / 64];
};

/* The locks and atomic words of one page. If the memory gets a new use, they are freed but this struct stays, because a
 * page map cannot remove an entry. */
struct sync_page {
	struct sync *first;
};

static void add_pair(void *arg, const struct rfs_history_access *earlier, const struct rfs_history_access *later)
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
	fasttrack->history = rfs_history_new(fasttrack->locksets, RFS_HISTORY_FASTTRACK, add_pair, fasttrack);
	*out = fasttrack;
	return 0;
}

static size_t recent_place(rfs_addr address)
{
	return (address * 0x9e3779b97f4a7c15u) >> (64 - RECENT_SHIFT);
}

static size_t filter_place(rfs_addr address)
{
	return (address * 0x9e3779b97f4a7c15u) >> (64 - FILTER_SHIFT);
}

static struct sync *look_up_sync(struct fasttrack *fasttrack, rfs_addr address)
{
	const struct sync_page *page = rfs_pagemap_find(&fasttrack->syncs, address >> RFS_PAGE_SHIFT);
	struct sync *sync = page ? page->first : NULL;

	while (sync && sync->address != address)
		sync = sync->next;
	return sync;
}

/* The lock or atomic word at this address; NULL if there is none. */
static struct sync *find_sync(struct fasttrack *fasttrack, rfs_addr address)
{
	struct sync **recent = &fasttrack->recent[recent_place(address)];

	if (!*recent || (*recent)->address != address)
		*recent = look_up_sync(fasttrack, address);
	return *recent;
}

static struct sync *get_sync(struct fasttrack *fasttrack, rfs_addr address)
{
	struct sync *sync = find_sync(fasttrack, address);
	struct sync_page *page;

	if (sync)
		return sync;
	page = rfs_pagemap_find(&fasttrack->syncs, address >> RFS_PAGE_SHIFT);
	if (!page) {
		page = rfs_policy_zalloc(1, sizeof(*page));
		rfs_pagemap_add(&fasttrack->syncs, address >> RFS_PAGE_SHIFT, page);
	}
	sync = rfs_policy_zalloc(1, sizeof(*sync));
	sync->address = address;
	sync->owner = -1;
	sync->next = page->first;
	page->first = sync;
	return sync;
}

static void free_sync(struct fasttrack *fasttrack, struct sync *sync)
{
	if (fasttrack->recent[recent_place(sync->address)] == sync)
		fasttrack->recent[recent_place(sync->address)] = NULL;
	rfs_vclock_release(&sync->writer);
	rfs_vclock_release(&sync->reader);
	free(sync);
}

/* ---- events ---- */

/* The word at this address if an atomic instruction has accessed it or a message was sent with it; otherwise NULL. */
static struct sync *find_atomic(struct fasttrack *fasttrack, rfs_addr address)
{
	struct sync *word;

	if (!(fasttrack->atomics[filter_place(address) / 64] >> filter_place(address) % 64 & 1))
		return NULL;
	word = find_sync(fasttrack, address);
	return word && word->atomic ? word : NULL;
}

static struct sync *make_atomic(struct fasttrack *fasttrack, rfs_addr address)
{
	struct sync *word = get_sync(fasttrack, address);

	word->atomic = true;
	fasttrack->atomics[filter_place(address) / 64] |= UINT64_C(1) << filter_place(address) % 64;
	return word;
}

/*
 * An atomic read acquires from the word before it is compared with past accesses, a plain read only afterwards. A write
 * releases to the word afterwards.
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
	};

	for (size_t i = 0; i < n; i++) {
		const unsigned how = accesses[i].access;
		struct sync *word = NULL;

		if (how & RFS_ACCESS_ATOMIC) {
			word = make_atomic(fasttrack, accesses[i].address);
			if (how & RFS_ACCESS_READ)
				rfs_hb_learn(&fasttrack->hb, thread, &word->writer);
		} else if (how & RFS_ACCESS_ALIGNED_MOVE) {
			word = find_atomic(fasttrack, accesses[i].address);
		}
		rfs_history_add(fasttrack->history, &who, &accesses[i], 1);
		if (!word)
			continue;
		if (!(how & RFS_ACCESS_ATOMIC) && (how & RFS_ACCESS_READ))
			rfs_hb_learn(&fasttrack->hb, thread, &word->writer);
		if (how & RFS_ACCESS_WRITE)
			rfs_hb_tell(&fasttrack->hb, thread, &word->writer);
		who.time = rfs_vclock_get(clock, (uint32_t)thread);
	}
}

static void on_send(struct fasttrack *fasttrack, const struct rfs_event *event)
{
	struct sync *word;

	if (event->op.size) {
		word = make_atomic(fasttrack, event->op.object);
		rfs_vclock_join(&word->writer, rfs_hb_clock(&fasttrack->hb, event->thread));
	}
	rfs_hb_send(&fasttrack->hb, event->thread, event->message);
}

static void on_acquire(struct fasttrack *fasttrack, int thread, const struct rfs_op *op)
{
	struct sync *lock = get_sync(fasttrack, op->object);
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
	struct sync *lock = get_sync(fasttrack, op->object);

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
		struct sync *lock = find_sync(fasttrack, locks[i]);

		if (!lock || lock->owner != thread)
			continue;
		rfs_hb_tell(&fasttrack->hb, thread, &lock->writer);
		lock->owner = -1;
	}
	free(locks);
}

struct span {
	struct fasttrack *fasttrack;
	rfs_addr first, last;
};

static void reset_syncs(void *arg, uint64_t number, void *value)
{
	const struct span *span = arg;
	struct sync_page *page = value;
	struct sync **link = &page->first;

	(void)number;
	while (*link) {
		struct sync *sync = *link;

		if (sync->address < span->first || sync->address > span->last) {
			link = &sync->next;
			continue;
		}
		*link = sync->next;
		free_sync(span->fasttrack, sync);
	}
}

static void on_reset(struct fasttrack *fasttrack, rfs_addr address, uint64_t size)
{
	struct span span = {fasttrack, address, address + (size - 1)};

	if (size == 0)
		return;
	if (span.last < address)
		span.last = UINT64_MAX;
	rfs_locksets_reset(fasttrack->locksets, address, size);
	rfs_history_reset(fasttrack->history, address, size);
	rfs_pagemap_range(&fasttrack->syncs, span.first >> RFS_PAGE_SHIFT, span.last >> RFS_PAGE_SHIFT, reset_syncs,
			  &span);
}

static void fasttrack_event(void *opaque, const struct rfs_event *event)
{
	struct fasttrack *fasttrack = opaque;

	switch (event->kind) {
	case RFS_EVENT_OP:
		if (event->op.kind == RFS_OP_EXIT)
			on_exit_op(fasttrack, event->thread);
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
		on_reset(fasttrack, event->op.object, event->op.size);
		break;
	case RFS_EVENT_THREAD:
		rfs_hb_thread(&fasttrack->hb, event->thread, event->op.peer);
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

static void free_sync_page(void *arg, uint64_t number, void *value)
{
	reset_syncs(arg, number, value);
	free(value);
}

static void fasttrack_fini(void *opaque)
{
	struct fasttrack *fasttrack = opaque;
	struct span all = {fasttrack, 0, UINT64_MAX};

	rfs_pagemap_range(&fasttrack->syncs, 0, UINT64_MAX, free_sync_page, &all);
	rfs_pagemap_release(&fasttrack->syncs);
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
};
