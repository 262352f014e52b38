/* word_lock_all.c - what concerns all words of a run: copies, new uses of memory, what was learnt, and the end. */
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/model/word_lock-priv.h"
#include "supervisor/model/word_lock.h"

static void *word_lock_all_copy_of(const void *from, size_t n, size_t size)
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
		struct word *copy = rfs_word_get(to, word->address), *next = copy->next;

		*copy = *word;
		copy->next = next;
		copy->holds = word_lock_all_copy_of(word->holds, word->n_holds, sizeof(*word->holds));
		for (size_t i = 0; i < word->n_holds; i++)
			copy->holds[i].site = rfs_word_site_get(to, word->holds[i].site->site);
		copy->waiters = word_lock_all_copy_of(word->waiters, word->n_waiters, sizeof(*word->waiters));
		for (size_t i = 0; i < word->n_waiters; i++)
			copy->waiters[i].blocker = rfs_word_site_get(to, word->waiters[i].blocker->site);
		for (size_t i = 0; i < word->n_sites; i++)
			copy->sites[i] = rfs_word_site_get(to, word->sites[i]->site);
		copy->alone = word->alone ? rfs_word_site_get(to, word->alone->site) : NULL;
	}
}

void rfs_word_locks_copy(const struct rfs_word_locks *from, struct rfs_word_locks *to)
{
	for (const struct rfs_word_site *site = from->sites; site; site = site->hh.next) {
		struct rfs_word_site *copy = rfs_word_site_get(to, site->site);
		const UT_hash_handle hh = copy->hh;

		*copy = *site;
		copy->hh = hh;
	}
	rfs_pagemap_range((struct rfs_pagemap *)&from->pages, 0, UINT64_MAX, copy_page, to);
	to->threads = word_lock_all_copy_of(from->threads, from->n_threads, sizeof(*from->threads));
	to->n_threads = from->n_threads;
}

struct span {
	struct rfs_word_locks *locks;
	rfs_addr first, last;
	bool again;
};

static void word_lock_all_free_word(struct rfs_word_locks *locks, struct word *word)
{
	while (word->n_holds)
		rfs_word_drop_hold(locks, word, &word->holds[0]);
	free(word->holds);
	free(word->waiters);
	free(word);
}

static void word_lock_all_reset_page(void *arg, uint64_t number, void *value)
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
		word_lock_all_free_word(span->locks, word);
	}
}

void rfs_words_reset(struct rfs_word_locks *locks, rfs_addr address, uint64_t size)
{
	struct span span = {locks, address, address + (size - 1), false};

	if (span.last < address)
		span.last = UINT64_MAX;
	rfs_pagemap_range(&locks->pages, span.first >> RFS_PAGE_SHIFT, span.last >> RFS_PAGE_SHIFT,
			  word_lock_all_reset_page, &span);
}

/* What one site of a word has shown holds for all its sites. */
static void word_lock_all_spread(void *arg, uint64_t number, void *value)
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
				rfs_word_join_lock(word, site);
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
		rfs_pagemap_range(&locks->pages, 0, UINT64_MAX, word_lock_all_spread, &all);
	}
	HASH_ITER (hh, locks->sites, site, next)
		if (site->given == RFS_WORD_UNKNOWN && site->lock)
			f(arg, site->site, site->refuted ? RFS_WORD_NONE : rfs_word_role_of(site));
}

static void word_lock_all_free_page(void *arg, uint64_t number, void *value)
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

	rfs_pagemap_range(&locks->pages, 0, UINT64_MAX, word_lock_all_free_page, NULL);
	rfs_pagemap_release(&locks->pages);
	HASH_ITER (hh, locks->sites, site, next) {
		HASH_DEL(locks->sites, site);
		free(site);
	}
	free(locks->threads);
	*locks = (struct rfs_word_locks){0};
}
