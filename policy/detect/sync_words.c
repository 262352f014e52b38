/*
 * sync_words.c - finds the word of an address in pages of words, and creates it if it is new. What an access does to
 * its clocks is decided by the callers.
 */
#include "policy/detect/sync_words.h"

#include <stddef.h>
#include <stdlib.h>

#include "policy/core/alloc.h"

/* The words of one page. A reset only empties it, because the map cannot remove an entry. */
struct sync_page {
	struct rfs_sync_word *first;
};

struct span {
	struct rfs_sync_words *words;
	rfs_addr first, last;
};

static size_t sync_words_recent_place(rfs_addr address)
{
	return (address * 0x9e3779b97f4a7c15u) >> (64 - RFS_SYNC_RECENT_SHIFT);
}

static size_t filter_place(rfs_addr address)
{
	return (address * 0x9e3779b97f4a7c15u) >> (64 - RFS_SYNC_FILTER_SHIFT);
}

static struct rfs_sync_word *sync_words_look_up(struct rfs_sync_words *words, rfs_addr address)
{
	const struct sync_page *page = rfs_pagemap_find(&words->pages, address >> RFS_PAGE_SHIFT);
	struct rfs_sync_word *word = page ? page->first : NULL;

	while (word && word->address != address)
		word = word->next;
	return word;
}

struct rfs_sync_word *rfs_sync_word_find(struct rfs_sync_words *words, rfs_addr address)
{
	struct rfs_sync_word **recent = &words->recent[sync_words_recent_place(address)];

	if (!*recent || (*recent)->address != address)
		*recent = sync_words_look_up(words, address);
	return *recent;
}

struct rfs_sync_word *rfs_sync_word_get(struct rfs_sync_words *words, rfs_addr address)
{
	struct rfs_sync_word *word = rfs_sync_word_find(words, address);
	struct sync_page *page;

	if (word)
		return word;
	page = rfs_pagemap_find(&words->pages, address >> RFS_PAGE_SHIFT);
	if (!page) {
		page = rfs_policy_zalloc(1, sizeof(*page));
		rfs_pagemap_add(&words->pages, address >> RFS_PAGE_SHIFT, page);
	}
	word = rfs_policy_zalloc(1, sizeof(*word));
	word->address = address;
	word->owner = -1;
	word->next = page->first;
	page->first = word;
	return word;
}

struct rfs_sync_word *rfs_sync_word_find_atomic(struct rfs_sync_words *words, rfs_addr address)
{
	struct rfs_sync_word *word;

	if (!(words->atomics[filter_place(address) / 64] >> filter_place(address) % 64 & 1))
		return NULL;
	word = rfs_sync_word_find(words, address);
	return word && word->atomic ? word : NULL;
}

struct rfs_sync_word *rfs_sync_word_make_atomic(struct rfs_sync_words *words, rfs_addr address)
{
	struct rfs_sync_word *word = rfs_sync_word_get(words, address);

	word->atomic = true;
	words->atomics[filter_place(address) / 64] |= UINT64_C(1) << filter_place(address) % 64;
	return word;
}

static void sync_words_free_word(struct rfs_sync_words *words, struct rfs_sync_word *word)
{
	if (words->recent[sync_words_recent_place(word->address)] == word)
		words->recent[sync_words_recent_place(word->address)] = NULL;
	rfs_vclock_release(&word->writer);
	rfs_vclock_release(&word->reader);
	rfs_vclock_release(&word->updater);
	free(word);
}

static void sync_words_reset_page(void *arg, uint64_t number, void *value)
{
	const struct span *span = arg;
	struct sync_page *page = value;
	struct rfs_sync_word **link = &page->first;

	(void)number;
	while (*link) {
		struct rfs_sync_word *word = *link;

		if (word->address < span->first || word->address > span->last) {
			link = &word->next;
			continue;
		}
		*link = word->next;
		sync_words_free_word(span->words, word);
	}
}

void rfs_sync_words_reset(struct rfs_sync_words *words, rfs_addr address, uint64_t size)
{
	struct span span = {words, address, address + (size - 1)};

	if (span.last < address)
		span.last = UINT64_MAX;
	rfs_pagemap_range(&words->pages, span.first >> RFS_PAGE_SHIFT, span.last >> RFS_PAGE_SHIFT,
			  sync_words_reset_page, &span);
}

static void sync_words_free_page(void *arg, uint64_t number, void *value)
{
	sync_words_reset_page(arg, number, value);
	free(value);
}

void rfs_sync_words_release(struct rfs_sync_words *words)
{
	struct span all = {words, 0, UINT64_MAX};

	rfs_pagemap_range(&words->pages, 0, UINT64_MAX, sync_words_free_page, &all);
	rfs_pagemap_release(&words->pages);
}
