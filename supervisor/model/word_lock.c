#include "supervisor/model/word_lock.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "supervisor/base/alloc.h"

#define WORD_SITES 8  /* of one word that are remembered: sites that acquired it */
#define ATTEMPTS 3    /* so many failures in a row show that the thread waits */
#define CONTENTIONS 6 /* how often threads let others arrive, for one site */

struct rfs_word_site {
	rfs_site site; /* key */
	enum rfs_word_role given;
	bool released; /* a hold from here ended as a hold of a lock does */
	bool lock;     /* a thread waited for such a hold, or began one after it waited */
	bool shares;   /* holds from here existed at the same time as others */
	bool refuted;
	bool met;	/* see rfs_word_site_meet() */
	bool constant;	/* a compare-exchange that expects a constant */
	bool loaded;	/* a compare-exchange that may expect any value */
	uint64_t delta; /* what a hold from here adds to a free word; 0: not known */
	unsigned contentions;
	UT_hash_handle hh;
};

struct hold {
	size_t thread;
	struct rfs_word_site *site;
	uint64_t old, new;
	bool active; /* ops->acquired() was called */
};

/* A thread that tried to acquire a word that others held. */
struct waiter {
	size_t thread;
	struct rfs_word_site *blocker; /* the site of the hold that it met */
	unsigned attempts;
	bool waited, released; /* released: that hold has ended */
};

struct word {
	rfs_addr address;
	uint64_t size;
	struct word *next; /* in the same page */
	struct hold *holds;
	struct waiter *waiters;
	size_t n_holds, n_waiters;
	struct rfs_word_site *sites[WORD_SITES];
	size_t n_sites;
	bool lock;	/* acquired by a given site */
	bool from_zero; /* an update changed it from zero */
	bool several;	/* more than one thread has updated it */
	size_t last;	/* the thread that updated it last */
	uint64_t first; /* the value that the first update found */
	/* a site that expects a constant, and the thread whose hold from there has ended; NULL: there was none */
	struct rfs_word_site *alone;
	size_t alone_thread;
	uint64_t alone_free; /* the value that it expected */
};

/* A reset only empties a page, because the map cannot remove it. */
struct page {
	struct word *first;
};

struct rfs_word_thread {
	rfs_addr held[RFS_WORDS_HELD], tried;
	size_t n_held;
};

void rfs_word_locks_init(struct rfs_word_locks *locks, const struct rfs_word_lock_ops *ops, void *arg)
{
	*locks = (struct rfs_word_locks){.ops = ops, .arg = arg};
}

static struct rfs_word_site *word_site(struct rfs_word_locks *locks, rfs_site key)
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

static struct word *find_word(const struct rfs_word_locks *locks, rfs_addr address)
{
	const struct page *page = rfs_pagemap_find((struct rfs_pagemap *)&locks->pages, address >> RFS_PAGE_SHIFT);
	struct word *word = page ? page->first : NULL;

	while (word && word->address != address)
		word = word->next;
	return word;
}

static struct word *get_word(struct rfs_word_locks *locks, rfs_addr address)
{
	struct word *word = find_word(locks, address);
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

static struct hold *find_hold(const struct word *word, size_t thread)
{
	for (size_t i = 0; i < word->n_holds; i++)
		if (word->holds[i].thread == thread)
			return &word->holds[i];
	return NULL;
}

/* Ends the hold, without saying how. */
static void drop_hold(struct rfs_word_locks *locks, struct word *word, struct hold *hold)
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
		drop_hold(locks, word, &word->holds[0]);
	}
}

static bool is_given(const struct rfs_word_site *site)
{
	return site->given == RFS_WORD_LOCK || site->given == RFS_WORD_SHARED;
}

static enum rfs_word_role role_of(const struct rfs_word_site *site)
{
	return site->shares || site->given == RFS_WORD_SHARED ? RFS_WORD_SHARED : RFS_WORD_LOCK;
}

/*
 * The site acquires a lock, because another site of the same word does. If it may expect any value, and another one
 * expects a constant, the site may be a reader's: several threads may hold the word, although this run has not seen it.
 */
static void join_lock(const struct word *word, struct rfs_word_site *site)
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
			join_lock(word, other);
			locks->ops->changed(locks->arg, other->site, role_of(other));
		}
	}
}

/* The holder itself has given the word back the value that it found. */
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
	drop_hold(locks, word, hold);
}

static struct waiter *find_waiter(const struct word *word, size_t thread)
{
	for (size_t i = 0; i < word->n_waiters; i++)
		if (word->waiters[i].thread == thread)
			return &word->waiters[i];
	return NULL;
}

static void try(struct rfs_word_locks *locks, struct word *word, size_t thread)
{
	struct waiter *waiter = find_waiter(word, thread);

	if (!waiter) {
		word->waiters = xreallocarray(word->waiters, word->n_waiters + 1, sizeof(*word->waiters));
		waiter = &word->waiters[word->n_waiters++];
		*waiter = (struct waiter){.thread = thread, .blocker = word->holds[0].site};
	}
	if (waiter->blocker != word->holds[0].site)
		*waiter = (struct waiter){.thread = thread, .blocker = word->holds[0].site};
	waiter->waited |= ++waiter->attempts >= ATTEMPTS;
	word_thread(locks, thread)->tried = word->address;
}

static void begin_hold(struct rfs_word_locks *locks, struct word *word, struct hold hold)
{
	struct waiter *waiter = find_waiter(word, hold.thread);
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
		struct word *oldest = find_word(locks, thread->held[0]);

		drop_hold(locks, oldest, find_hold(oldest, hold.thread));
	}
	thread->held[thread->n_held++] = word->address;
	hold.active = word->lock && !hold.site->refuted && hold.site->given != RFS_WORD_NONE;
	word->holds = xreallocarray(word->holds, word->n_holds + 1, sizeof(*word->holds));
	word->holds[word->n_holds++] = hold;
	if (hold.active)
		locks->ops->acquired(locks->arg, hold.thread, word->address, hold.site->site,
				     role_of(hold.site) == RFS_WORD_SHARED);
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
		drop_hold(locks, word, hold);
	}
}

/* Whether a hold from this site may exist together with all present holds. */
static bool can_share(const struct word *word, const struct rfs_word_site *site)
{
	for (size_t i = 0; i < word->n_holds; i++)
		if (word->holds[i].site != site &&
		    (role_of(site) != RFS_WORD_SHARED || role_of(word->holds[i].site) != RFS_WORD_SHARED))
			return false;
	return site->given != RFS_WORD_LOCK;
}

/* A hold from this site exists at the same time as another. If its given role is an exclusive lock, later runs learn
 * it. */
static void share(struct rfs_word_locks *locks, struct rfs_word_site *site)
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
		share(locks, word->holds[i].site);
	share(locks, hold.site);
	begin_hold(locks, word, hold);
}

void rfs_word_update(struct rfs_word_locks *locks, size_t thread, rfs_site site, rfs_addr address, uint64_t size,
		     uint64_t old, uint64_t new)
{
	struct rfs_word_site *of = word_site(locks, site);
	struct word *word = get_word(locks, address);
	struct hold *hold = find_hold(word, thread);

	if (!word->size)
		word->first = old;
	word->several |= word->size && word->last != thread;
	word->last = thread;
	word->size = size;
	word->from_zero |= old == 0 && new != 0;
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
	struct word *word = tried ? find_word(locks, tried) : NULL;
	struct waiter *waiter = word ? find_waiter(word, thread) : NULL;
	struct hold *hold;

	if (waiter && word->n_holds)
		waiter->waited = true;
	word = futex ? find_word(locks, futex) : NULL;
	hold = word ? find_hold(word, thread) : NULL;
	if (!hold)
		return;
	hold->site->delta = 0;
	drop_hold(locks, word, hold);
}

void rfs_word_value(struct rfs_word_locks *locks, size_t thread, rfs_addr address, uint64_t value)
{
	struct word *word = find_word(locks, address);
	struct hold *hold = word ? find_hold(word, thread) : NULL;

	if (hold && value == hold->old)
		end_hold(locks, word, hold);
}

void rfs_word_stored(struct rfs_word_locks *locks, size_t thread, rfs_addr address, uint64_t value)
{
	struct word *word = find_word(locks, address);
	const struct hold *hold = word ? find_hold(word, thread) : NULL;

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

bool rfs_word_has_several_threads(const struct rfs_word_locks *locks, rfs_addr address)
{
	const struct word *word = find_word(locks, address);

	return word && word->several;
}

bool rfs_word_rose_from_zero(const struct rfs_word_locks *locks, rfs_addr address)
{
	const struct word *word = find_word(locks, address);

	return word && word->from_zero;
}

bool rfs_word_was_set_once(const struct rfs_word_locks *locks, size_t thread, rfs_addr address, uint64_t value)
{
	const struct word *word = find_word(locks, address);
	const struct hold *hold = word && word->n_holds == 1 ? &word->holds[0] : NULL;

	return hold && hold->thread != thread && hold->old == 0 && hold->new == value &&value != 0 && !word->n_sites &&
	       !word->lock;
}

uint64_t rfs_word_size(const struct rfs_word_locks *locks, rfs_addr address)
{
	const struct word *word = find_word(locks, address);

	return word ? word->size : 0;
}

bool rfs_word_is_lock(const struct rfs_word_locks *locks, rfs_addr address)
{
	const struct word *word = find_word(locks, address);

	return word && word->lock;
}

bool rfs_word_was_lock(const struct rfs_word_locks *locks, rfs_addr address)
{
	const struct word *word = find_word(locks, address);
	bool was = word && word->lock;

	for (size_t i = 0; word && i < word->n_sites; i++)
		was |= word->sites[i]->lock && !word->sites[i]->refuted;
	return was;
}

bool rfs_word_wants_contention(struct rfs_word_locks *locks, size_t thread, rfs_site site, rfs_addr address)
{
	struct rfs_word_site *of = word_site(locks, site);
	const struct word *word = find_word(locks, address);
	const struct hold *hold = word ? find_hold(word, thread) : NULL;

	return hold && hold->site == of && of->given == RFS_WORD_UNKNOWN && !of->lock && !of->refuted &&
	       of->contentions++ < CONTENTIONS;
}

void rfs_word_locks_give(struct rfs_word_locks *locks, rfs_site site, enum rfs_word_role role)
{
	struct rfs_word_site *of = word_site(locks, site);

	if (role > of->given)
		of->given = role;
}

bool rfs_word_site_meet(struct rfs_word_locks *locks, rfs_site site)
{
	struct rfs_word_site *of = word_site(locks, site);
	const bool met = of->met;

	of->met = true;
	return !met;
}

void rfs_word_site_compares(struct rfs_word_locks *locks, rfs_site site, bool constant)
{
	struct rfs_word_site *of = word_site(locks, site);

	of->constant = constant;
	of->loaded = !constant;
}

/* ---- all words ---- */

static void *copy_of(const void *from, size_t n, size_t size)
{
	void *to = n ? xcalloc(n, size) : NULL;

	if (n)
		memcpy(to, from, n * size);
	return to;
}

static void copy_page(void *arg, uint64_t number, void *value)
{
	struct rfs_word_locks *to = arg;
	const struct page *page = value;

	(void)number;
	for (const struct word *word = page->first; word; word = word->next) {
		struct word *copy = get_word(to, word->address), *next = copy->next;

		*copy = *word;
		copy->next = next;
		copy->holds = copy_of(word->holds, word->n_holds, sizeof(*word->holds));
		for (size_t i = 0; i < word->n_holds; i++)
			copy->holds[i].site = word_site(to, word->holds[i].site->site);
		copy->waiters = copy_of(word->waiters, word->n_waiters, sizeof(*word->waiters));
		for (size_t i = 0; i < word->n_waiters; i++)
			copy->waiters[i].blocker = word_site(to, word->waiters[i].blocker->site);
		for (size_t i = 0; i < word->n_sites; i++)
			copy->sites[i] = word_site(to, word->sites[i]->site);
		copy->alone = word->alone ? word_site(to, word->alone->site) : NULL;
	}
}

void rfs_word_locks_copy(const struct rfs_word_locks *from, struct rfs_word_locks *to)
{
	for (const struct rfs_word_site *site = from->sites; site; site = site->hh.next) {
		struct rfs_word_site *copy = word_site(to, site->site);
		const UT_hash_handle hh = copy->hh;

		*copy = *site;
		copy->hh = hh;
	}
	rfs_pagemap_range((struct rfs_pagemap *)&from->pages, 0, UINT64_MAX, copy_page, to);
	to->threads = copy_of(from->threads, from->n_threads, sizeof(*from->threads));
	to->n_threads = from->n_threads;
}

struct span {
	struct rfs_word_locks *locks;
	rfs_addr first, last;
	bool again;
};

static void free_word(struct rfs_word_locks *locks, struct word *word)
{
	while (word->n_holds)
		drop_hold(locks, word, &word->holds[0]);
	free(word->holds);
	free(word->waiters);
	free(word);
}

static void reset_page(void *arg, uint64_t number, void *value)
{
	const struct span *span = arg;
	struct page *page = value;
	struct word **link = &page->first;

	(void)number;
	while (*link) {
		struct word *word = *link;

		if (word->address < span->first || word->address > span->last) {
			link = &word->next;
			continue;
		}
		*link = word->next;
		free_word(span->locks, word);
	}
}

void rfs_words_reset(struct rfs_word_locks *locks, rfs_addr address, uint64_t size)
{
	struct span span = {locks, address, address + (size - 1), false};

	if (span.last < address)
		span.last = UINT64_MAX;
	rfs_pagemap_range(&locks->pages, span.first >> RFS_PAGE_SHIFT, span.last >> RFS_PAGE_SHIFT, reset_page, &span);
}

/* What one site of a word has shown holds for all its sites. */
static void spread(void *arg, uint64_t number, void *value)
{
	struct span *span = arg;
	const struct page *page = value;

	(void)number;
	for (const struct word *word = page->first; word; word = word->next) {
		bool lock = false, refuted = false;

		for (size_t i = 0; i < word->n_sites; i++) {
			lock |= word->sites[i]->lock;
			refuted |= word->sites[i]->refuted || word->sites[i]->given == RFS_WORD_NONE;
		}
		for (size_t i = 0; i < word->n_sites; i++) {
			struct rfs_word_site *site = word->sites[i];

			span->again |= (refuted && !site->refuted) || (lock && site->released && !site->lock);
			site->refuted |= refuted;
			if (lock && site->released)
				join_lock(word, site);
		}
	}
}

void rfs_word_locks_learnt(struct rfs_word_locks *locks, void (*f)(void *arg, rfs_site site, enum rfs_word_role role),
			   void *arg)
{
	struct span all = {.locks = locks, .again = true};
	struct rfs_word_site *site, *next;

	while (all.again) {
		all.again = false;
		rfs_pagemap_range(&locks->pages, 0, UINT64_MAX, spread, &all);
	}
	HASH_ITER (hh, locks->sites, site, next)
		if (site->given == RFS_WORD_UNKNOWN && site->lock)
			f(arg, site->site, site->refuted ? RFS_WORD_NONE : role_of(site));
}

static void free_page(void *arg, uint64_t number, void *value)
{
	struct page *page = value;

	(void)arg;
	(void)number;
	while (page->first) {
		struct word *word = page->first;

		page->first = word->next;
		free(word->holds);
		free(word->waiters);
		free(word);
	}
	free(page);
}

void rfs_word_locks_release(struct rfs_word_locks *locks)
{
	struct rfs_word_site *site, *next;

	rfs_pagemap_range(&locks->pages, 0, UINT64_MAX, free_page, NULL);
	rfs_pagemap_release(&locks->pages);
	HASH_ITER (hh, locks->sites, site, next) {
		HASH_DEL(locks->sites, site);
		free(site);
	}
	free(locks->threads);
	*locks = (struct rfs_word_locks){0};
}
