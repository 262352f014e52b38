#include "policy/detect/atomic_words.h"

#include <stdlib.h>

#include "policy/core/alloc.h"

struct rfs_atomic_word {
	rfs_addr address;
	struct rfs_atomic_word *next; /* in the same page */
	struct rfs_vclock clock;      /* of the writes */
	bool lock;
};

/* A reset only empties a page, because the map cannot remove it. */
struct page {
	struct rfs_atomic_word *first;
};

static size_t filter_place(rfs_addr address)
{
	return (address * 0x9e3779b97f4a7c15u) >> (64 - RFS_ATOMIC_FILTER_SHIFT);
}

static struct rfs_atomic_word *find(struct rfs_atomic_words *words, rfs_addr address)
{
	const struct page *page;
	struct rfs_atomic_word *word;

	if (!(words->filter[filter_place(address) / 64] >> filter_place(address) % 64 & 1))
		return NULL;
	page = rfs_pagemap_find(&words->pages, address >> RFS_PAGE_SHIFT);
	word = page ? page->first : NULL;
	while (word && word->address != address)
		word = word->next;
	return word;
}

static struct rfs_atomic_word *get(struct rfs_atomic_words *words, rfs_addr address)
{
	struct rfs_atomic_word *word = find(words, address);
	struct page *page;

	if (word)
		return word;
	page = rfs_pagemap_find(&words->pages, address >> RFS_PAGE_SHIFT);
	if (!page) {
		page = rfs_policy_zalloc(1, sizeof(*page));
		rfs_pagemap_add(&words->pages, address >> RFS_PAGE_SHIFT, page);
	}
	word = rfs_policy_zalloc(1, sizeof(*word));
	word->address = address;
	word->next = page->first;
	page->first = word;
	words->filter[filter_place(address) / 64] |= UINT64_C(1) << filter_place(address) % 64;
	return word;
}

struct rfs_atomic_word *rfs_atomic_word_of(struct rfs_atomic_words *words, const struct rfs_access *access)
{
	if (access->access & RFS_ACCESS_ATOMIC)
		return get(words, access->address);
	return access->access & RFS_ACCESS_ALIGNED_MOVE ? find(words, access->address) : NULL;
}

void rfs_atomic_word_before(struct rfs_hb *hb, int thread, const struct rfs_atomic_word *word, unsigned access)
{
	if (word && !word->lock && (access & RFS_ACCESS_ATOMIC) && (access & RFS_ACCESS_READ) &&
	    !(access & RFS_ACCESS_UNSEEN))
		rfs_hb_learn(hb, thread, &word->clock);
}

void rfs_atomic_word_after(struct rfs_hb *hb, int thread, struct rfs_atomic_word *word, unsigned access)
{
	if (!word || word->lock)
		return;
	if (!(access & RFS_ACCESS_ATOMIC) && (access & RFS_ACCESS_READ))
		rfs_hb_learn(hb, thread, &word->clock);
	if (!(access & RFS_ACCESS_WRITE))
		return;
	if (!(access & RFS_ACCESS_ATOMIC))
		rfs_vclock_release(&word->clock);
	rfs_hb_tell(hb, thread, &word->clock);
}

void rfs_atomic_word_is_lock(struct rfs_atomic_words *words, rfs_addr address)
{
	get(words, address)->lock = true;
}

unsigned rfs_atomic_word_access(const struct rfs_atomic_word *word, unsigned access)
{
	return word && word->lock ? access | RFS_ACCESS_ATOMIC : access;
}

void rfs_atomic_word_send(struct rfs_atomic_words *words, struct rfs_hb *hb, int thread, rfs_addr address)
{
	rfs_vclock_join(&get(words, address)->clock, rfs_hb_clock(hb, thread));
}

struct span {
	rfs_addr first, last;
};

static void reset_page(void *arg, uint64_t number, void *value)
{
	const struct span *span = arg;
	struct page *page = value;
	struct rfs_atomic_word **link = &page->first;

	(void)number;
	while (*link) {
		struct rfs_atomic_word *word = *link;

		if (word->address < span->first || word->address > span->last) {
			link = &word->next;
			continue;
		}
		*link = word->next;
		rfs_vclock_release(&word->clock);
		free(word);
	}
}

void rfs_atomic_words_reset(struct rfs_atomic_words *words, rfs_addr address, uint64_t size)
{
	struct span span = {address, address + (size - 1)};

	if (span.last < address)
		span.last = UINT64_MAX;
	rfs_pagemap_range(&words->pages, span.first >> RFS_PAGE_SHIFT, span.last >> RFS_PAGE_SHIFT, reset_page, &span);
}

static void free_page(void *arg, uint64_t number, void *value)
{
	reset_page(arg, number, value);
	free(value);
}

void rfs_atomic_words_release(struct rfs_atomic_words *words)
{
	struct span all = {0, UINT64_MAX};

	rfs_pagemap_range(&words->pages, 0, UINT64_MAX, free_page, &all);
	rfs_pagemap_release(&words->pages);
}
