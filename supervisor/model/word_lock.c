/*
 * word_lock.c - keeps for each word and each site what speaks for a lock, and who may hold it. access/word_locks.c
 * tells it what happens.
 */
#include "supervisor/model/word_lock.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/model/word_lock-priv.h"

#define ATTEMPTS 3    /* this many failures in a row show that the thread waits */
#define CONTENTIONS 6 /* how often threads let others arrive, for one site */

void rfs_word_locks_init(struct rfs_word_locks *locks, const struct rfs_word_lock_ops *ops, void *arg)
{
	*locks = (struct rfs_word_locks){.ops = ops, .arg = arg};
}

struct rfs_word_site *rfs_word_site_get(struct rfs_word_locks *locks, rfs_site key)
{
	struct rfs_word_site *site;

	HASH_FIND(hh, locks->sites, &key, sizeof(key), site);
	if (!site) {
		site = xcalloc(1, sizeof(*site));
		site->site = key;
		HASH_ADD(hh, locks->sites, site, sizeof(site->site), site);
	}
	return site;
}

struct word *rfs_word_find(const struct rfs_word_locks *locks, rfs_addr address)
{
	const struct page *page = rfs_pagemap_find((struct rfs_pagemap *)&locks->pages, address >> RFS_PAGE_SHIFT);
	struct word *word = page ? page->first : NULL;

	while (word && word->address != address)
		word = word->next;
	return word;
}

struct word *rfs_word_get(struct rfs_word_locks *locks, rfs_addr address)
{
	struct word *word = rfs_word_find(locks, address);
	struct page *page;

	if (word)
		return word;
	page = rfs_pagemap_find(&locks->pages, address >> RFS_PAGE_SHIFT);
	if (!page) {
		page = xcalloc(1, sizeof(*page));
		rfs_pagemap_add(&locks->pages, address >> RFS_PAGE_SHIFT, page);
	}
	word = xcalloc(1, sizeof(*word));
	word->address = address;
	word->next = page->first;
	page->first = word;
	return word;
}

static struct rfs_word_thread *word_thread(struct rfs_word_locks *locks, size_t number)
{
	if (number >= locks->n_threads) {
		locks->threads = xreallocarray(locks->threads, number + 1, sizeof(*locks->threads));
		memset(&locks->threads[locks->n_threads], 0, (number + 1 - locks->n_threads) * sizeof(*locks->threads));
		locks->n_threads = number + 1;
	}
	return &locks->threads[number];
}

/* ---- holds ---- */

static struct hold *word_lock_find_hold(const struct word *word, size_t thread)
{
	for (size_t i = 0; i < word->n_holds; i++)
		if (word->holds[i].thread == thread)
			return &word->holds[i];
	return NULL;
}

void rfs_word_drop_hold(struct rfs_word_locks *locks, struct word *word, struct hold *hold)
{
	struct rfs_word_thread *thread = word_thread(locks, hold->thread);
	const struct hold ended = *hold;

	for (size_t i = 0; i < thread->n_held; i++)
		if (thread->held[i] == word->address) {
			memmove(&thread->held[i], &thread->held[i + 1], (--thread->n_held - i) * sizeof(*thread->held));
			break;
		}
	*hold = word->holds[--word->n_holds];
	if (ended.active)
		locks->ops->released(locks->arg, ended.thread, word->address);
}

static void refute(struct rfs_word_locks *locks, struct rfs_word_site *site)
{
	if (site->refuted)
		return;
	site->refuted = true;
	if (site->given == RFS_WORD_LOCK || site->given == RFS_WORD_SHARED)
		locks->ops->changed(locks->arg, site->site, RFS_WORD_NONE);
}

/* The threads use the word in a way in which no lock is used. */
static void refute_holds(struct rfs_word_locks *locks, struct word *word)
{
	while (word->n_holds) {
		refute(locks, word->holds[0].site);
		rfs_word_drop_hold(locks, word, &word->holds[0]);
	}
}

static bool is_given(const struct rfs_word_site *site)
{
	return site->given == RFS_WORD_LOCK || site->given == RFS_WORD_SHARED;
}

enum rfs_word_role rfs_word_role_of(const struct rfs_word_site *site)
{
	return site->shares || site->given == RFS_WORD_SHARED ? RFS_WORD_SHARED : RFS_WORD_LOCK;
}

void rfs_word_join_lock(const struct word *word, struct rfs_word_site *site)
{
	for (size_t i = 0; i < word->n_sites && !site->lock; i++)
		site->shares |= site->loaded && word->sites[i]->constant && !is_given(site);
	site->lock = true;
}

/*
 * A hold from this site has ended as a hold of a lock does. All sites of a known lock must be given, so that the run
 * treats the word in one way.
 */
static void note_site(struct rfs_word_locks *locks, struct word *word, struct rfs_word_site *site)
{
	bool known = false;

	for (size_t i = 0; i < word->n_sites; i++)
		known |= word->sites[i] == site;
	if (!known && word->n_sites < WORD_SITES)
		word->sites[word->n_sites++] = site;
	for (size_t i = 0; word->lock && i < word->n_sites; i++) {
		struct rfs_word_site *other = word->sites[i];

		if (is_given(other))
			continue;
		if (other->given == RFS_WORD_NONE || other->refuted) {
			for (size_t k = 0; k < word->n_sites; k++)
				refute(locks, word->sites[k]);
			other->lock = true;
		} else if (!other->lock) {
			rfs_word_join_lock(word, other);
			locks->ops->changed(locks->arg, other->site, rfs_word_role_of(other));
		}
	}
}

/* The holder itself has restored the value that it found. */
static void note_alone(struct word *word, const struct hold *hold)
{
	struct rfs_word_site *site = hold->site;

	if (!site->constant || site->shares)
		return;
	if (!word->alone) {
		word->alone = site;
		word->alone_thread = hold->thread;
		word->alone_free = hold->old;
	} else if (word->alone_thread != hold->thread && word->alone_free == hold->old) {
		site->lock = word->alone->lock = true;
	}
}

static void end_hold(struct rfs_word_locks *locks, struct word *word, struct hold *hold)
{
	hold->site->released = true;
	note_site(locks, word, hold->site);
	for (size_t i = 0; i < word->n_waiters; i++)
		word->waiters[i].released |= word->waiters[i].blocker == hold->site;
	rfs_word_drop_hold(locks, word, hold);
}

static struct waiter *word_lock_find_waiter(const struct word *word, size_t thread)
{
	for (size_t i = 0; i < word->n_waiters; i++)
		if (word->waiters[i].thread == thread)
			return &word->waiters[i];
	return NULL;
}

static void try(struct rfs_word_locks *locks, struct word *word, size_t thread)
{
	struct waiter *waiter = word_lock_find_waiter(word, thread);

	if (!waiter) {
		word->waiters = xreallocarray(word->waiters, word->n_waiters + 1, sizeof(*word->waiters));
		waiter = &word->waiters[word->n_waiters++];
		*waiter = (struct waiter){.thread = thread, .blocker = word->holds[0].site};
	}
	if (waiter->blocker != word->holds[0].site)
		*waiter = (struct waiter){.thread = thread, .blocker = word->holds[0].site};
	waiter->blocker->tried = true;
	waiter->waited |= ++waiter->attempts >= ATTEMPTS;
	word_thread(locks, thread)->tried = word->address;
}

static void begin_hold(struct rfs_word_locks *locks, struct word *word, struct hold hold)
{
	struct waiter *waiter = word_lock_find_waiter(word, hold.thread);
	struct rfs_word_thread *thread = word_thread(locks, hold.thread);

	if (waiter) {
		if (waiter->waited && waiter->released)
			waiter->blocker->lock = hold.site->lock = true;
		*waiter = word->waiters[--word->n_waiters];
	}
	if (!word->n_holds)
		hold.site->delta = hold.new - hold.old;
	word->lock |= is_given(hold.site) && !hold.site->refuted;
	if (thread->n_held == RFS_WORDS_HELD) { /* no thread holds so many locks: forget the oldest hold */
		struct word *oldest = rfs_word_find(locks, thread->held[0]);

		rfs_word_drop_hold(locks, oldest, word_lock_find_hold(oldest, hold.thread));
	}
	thread->held[thread->n_held++] = word->address;
	hold.active = word->lock && !hold.site->refuted && hold.site->given != RFS_WORD_NONE;
	word->holds = xreallocarray(word->holds, word->n_holds + 1, sizeof(*word->holds));
	word->holds[word->n_holds++] = hold;
	if (hold.active)
		locks->ops->acquired(locks->arg, hold.thread, word->address, hold.site->site,
				     rfs_word_role_of(hold.site) == RFS_WORD_SHARED);
}

/* ---- events ---- */

/*
 * Whether the update sets bits that differ from the word's first value. If a thread only takes back what waiting
 * threads have set in a free lock, no hold begins.
 */
static bool sets_bits(const struct word *word, uint64_t old, uint64_t new)
{
	return (new ^ word->first) & ~(old ^ word->first);
}

/*
 * A holder has changed the word. A hold that began in a slow path may have set more bits than its first release takes
 * back. So any update at another site that sets no new bits ends the hold.
 */
static void holder_updates(struct rfs_word_locks *locks, struct word *word, struct hold *hold,
			   const struct rfs_word_site *site, uint64_t old, uint64_t new)
{
	if (new == hold->old)
		note_alone(word, hold);
	if (new == hold->old || new == old - (hold->new - hold->old) ||
	    (site != hold->site && !sets_bits(word, old, new))) {
		end_hold(locks, word, hold);
	} else if (site == hold->site) {
		refute(locks, hold->site);
		rfs_word_drop_hold(locks, word, hold);
	}
}

/* Whether a hold from this site may exist together with all present holds. */
static bool can_share(const struct word *word, const struct rfs_word_site *site)
{
	for (size_t i = 0; i < word->n_holds; i++)
		if (word->holds[i].site != site && (rfs_word_role_of(site) != RFS_WORD_SHARED ||
						    rfs_word_role_of(word->holds[i].site) != RFS_WORD_SHARED))
			return false;
	return site->given != RFS_WORD_LOCK;
}

/* A hold from this site exists at the same time as another. If its given role is an exclusive lock, later runs learn
 * it. */
static void word_lock_share(struct rfs_word_locks *locks, struct rfs_word_site *site)
{
	if (!site->shares && site->given == RFS_WORD_LOCK && !site->refuted)
		locks->ops->changed(locks->arg, site->site, RFS_WORD_SHARED);
	site->shares = true;
}

/*
 * A thread that does not hold the word has changed it, while others hold it. A reader adds the same number as to a free
 * lock. A waiting thread sets something else.
 */
static void other_updates(struct rfs_word_locks *locks, struct word *word, struct hold hold)
{
	const bool adds = hold.site->delta && hold.new - hold.old == hold.site->delta;
	bool was_free = false, frees = false, twice = false;

	for (size_t i = 0; i < word->n_holds; i++) {
		was_free |= word->holds[i].old == hold.old && hold.old == word->first && word->n_holds == 1;
		frees |= word->holds[i].old == hold.new &&hold.new == word->first;
		twice |= word->holds[i].site == hold.site && hold.site->given == RFS_WORD_LOCK && !adds;
	}
	if (was_free || frees || twice) {
		refute_holds(locks, word);
		return;
	}
	if (!adds && !can_share(word, hold.site)) {
		try(locks, word, hold.thread);
		return;
	}
	for (size_t i = 0; i < word->n_holds; i++)
		word_lock_share(locks, word->holds[i].site);
	word_lock_share(locks, hold.site);
	begin_hold(locks, word, hold);
}

void rfs_word_update(struct rfs_word_locks *locks, size_t thread, rfs_site site, rfs_addr address, uint64_t size,
		     uint64_t old, uint64_t new)
{
	struct rfs_word_site *of = rfs_word_site_get(locks, site);
	struct word *word = rfs_word_get(locks, address);
	struct hold *hold = word_lock_find_hold(word, thread);

	if (!word->size)
		word->first = old;
	word->several |= word->size && word->last != thread;
	word->last = thread;
	word->size = size;
	word->from_zero |= old == 0 && new != 0;
	word->changes += old != new;
	word->down = false;
	if (hold && old != new)
		holder_updates(locks, word, hold, of, old, new);
	else if (hold)
		return;
	else if (word->n_holds == 0 && sets_bits(word, old, new))
		begin_hold(locks, word, (struct hold){.thread = thread, .site = of, .old = old, .new = new});
	else if (word->n_holds && old == new)
		try(locks, word, thread);
	else if (word->n_holds)
		other_updates(locks, word, (struct hold){.thread = thread, .site = of, .old = old, .new = new});
}

void rfs_word_waits(struct rfs_word_locks *locks, size_t thread, rfs_addr futex)
{
	const rfs_addr tried = thread < locks->n_threads ? locks->threads[thread].tried : 0;
	struct word *word = tried ? rfs_word_find(locks, tried) : NULL;
	struct waiter *waiter = word ? word_lock_find_waiter(word, thread) : NULL;
	struct hold *hold;

	if (waiter && word->n_holds)
		waiter->waited = true;
	word = futex ? rfs_word_find(locks, futex) : NULL;
	hold = word ? word_lock_find_hold(word, thread) : NULL;
	if (!hold)
		return;
	hold->site->delta = 0;
	rfs_word_drop_hold(locks, word, hold);
}

void rfs_word_value(struct rfs_word_locks *locks, size_t thread, rfs_addr address, uint64_t value)
{
	struct word *word = rfs_word_find(locks, address);
	struct hold *hold = word ? word_lock_find_hold(word, thread) : NULL;

	if (hold && value == hold->old)
		end_hold(locks, word, hold);
}

void rfs_word_stored(struct rfs_word_locks *locks, size_t thread, rfs_addr address, uint64_t value)
{
	struct word *word = rfs_word_find(locks, address);
	const struct hold *hold = word ? word_lock_find_hold(word, thread) : NULL;

	if (hold && value == hold->old)
		note_alone(word, hold);
	rfs_word_value(locks, thread, address, value);
}

size_t rfs_words_held(const struct rfs_word_locks *locks, size_t thread, rfs_addr out[RFS_WORDS_HELD])
{
	if (thread >= locks->n_threads)
		return 0;
	memcpy(out, locks->threads[thread].held, sizeof(locks->threads[thread].held));
	return locks->threads[thread].n_held;
}

bool rfs_word_may_hold(const struct rfs_word_locks *locks, size_t thread, rfs_addr word)
{
	rfs_addr held[RFS_WORDS_HELD];
	const size_t n = rfs_words_held(locks, thread, held);

	for (size_t i = 0; i < n; i++)
		if (held[i] == word)
			return true;
	return false;
}

bool rfs_word_has_several_threads(const struct rfs_word_locks *locks, rfs_addr address)
{
	const struct word *word = rfs_word_find(locks, address);

	return word && word->several;
}

bool rfs_word_rose_from_zero(const struct rfs_word_locks *locks, rfs_addr address)
{
	const struct word *word = rfs_word_find(locks, address);

	return word && word->from_zero;
}

void rfs_word_counted(struct rfs_word_locks *locks, size_t thread, rfs_addr address, uint64_t old, uint64_t new)
{
	struct word *word = rfs_word_find(locks, address);
	const uint64_t bit = UINT64_C(1) << (thread % 64);

	if (!word || old == new)
		return;
	word->counted++;
	if (new > old)
		word->raised_by |= bit;
	else
		word->lowered_by |= bit;
	word->down = new == 0 && old > 0;
}

bool rfs_word_is_down(const struct rfs_word_locks *locks, size_t thread, rfs_addr address)
{
	const struct word *word = rfs_word_find(locks, address);
	const uint64_t bit = UINT64_C(1) << (thread % 64);

	return word && word->down && word->changes == word->counted && !(word->raised_by & word->lowered_by & ~bit);
}

bool rfs_word_was_set_once(const struct rfs_word_locks *locks, size_t thread, rfs_addr address, uint64_t value)
{
	const struct word *word = rfs_word_find(locks, address);
	const struct hold *hold = word && word->n_holds == 1 ? &word->holds[0] : NULL;

	return hold && hold->thread != thread && hold->old == 0 && hold->new == value &&value != 0 && !word->n_sites &&
	       !word->lock;
}

uint64_t rfs_word_size(const struct rfs_word_locks *locks, rfs_addr address)
{
	const struct word *word = rfs_word_find(locks, address);

	return word ? word->size : 0;
}

rfs_site rfs_word_acquired_at(const struct rfs_word_locks *locks, rfs_addr address)
{
	const struct word *word = rfs_word_find(locks, address);

	if (word && word->n_holds)
		return word->holds[0].site->site;
	return word && word->lock && word->n_sites ? word->sites[0]->site : 0;
}

rfs_addr rfs_word_blocks(const struct rfs_word_locks *locks, size_t thread, size_t *holder)
{
	const rfs_addr tried = thread < locks->n_threads ? locks->threads[thread].tried : 0;
	const struct word *word = tried ? rfs_word_find(locks, tried) : NULL;

	if (!word || !word->n_holds || !word_lock_find_waiter(word, thread) || word_lock_find_hold(word, thread))
		return 0;
	*holder = word->holds[0].thread;
	return tried;
}

bool rfs_word_is_lock(const struct rfs_word_locks *locks, rfs_addr address)
{
	const struct word *word = rfs_word_find(locks, address);

	return word && word->lock;
}

bool rfs_word_was_lock(const struct rfs_word_locks *locks, rfs_addr address)
{
	const struct word *word = rfs_word_find(locks, address);
	bool was = word && word->lock;

	for (size_t i = 0; word && i < word->n_sites; i++)
		was |= word->sites[i]->lock && !word->sites[i]->refuted;
	return was;
}

/*
 * A lock may have been learnt without any contention (note_alone()). Then nobody knows what a thread does that fails to
 * acquire it: it may go on, and race with the holder.
 */
static bool is_worth_contention(const struct rfs_word_site *site)
{
	if (site->refuted)
		return false;
	if (site->given == RFS_WORD_LOCK)
		return site->constant && !site->tried;
	return site->given == RFS_WORD_UNKNOWN && !site->lock;
}

bool rfs_word_wants_contention(struct rfs_word_locks *locks, size_t thread, rfs_site site, rfs_addr address)
{
	struct rfs_word_site *of = rfs_word_site_get(locks, site);
	const struct word *word = rfs_word_find(locks, address);
	const struct hold *hold = word ? word_lock_find_hold(word, thread) : NULL;

	return hold && hold->site == of && is_worth_contention(of) && of->contentions++ < CONTENTIONS;
}

void rfs_word_locks_give(struct rfs_word_locks *locks, rfs_site site, enum rfs_word_role role)
{
	struct rfs_word_site *of = rfs_word_site_get(locks, site);

	if (role > of->given)
		of->given = role;
}

bool rfs_word_site_acquires(const struct rfs_word_locks *locks, rfs_site key)
{
	const struct rfs_word_site *site;

	HASH_FIND(hh, locks->sites, &key, sizeof(key), site);
	return site && is_given(site) && !site->refuted;
}

bool rfs_word_site_meet(struct rfs_word_locks *locks, rfs_site site)
{
	struct rfs_word_site *of = rfs_word_site_get(locks, site);
	const bool met = of->met;

	of->met = true;
	return !met;
}

void rfs_word_site_compares(struct rfs_word_locks *locks, rfs_site site, bool constant)
{
	struct rfs_word_site *of = rfs_word_site_get(locks, site);

	of->constant = constant;
	of->loaded = !constant;
}
