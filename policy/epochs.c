#include "policy/epochs.h"

#include <stdlib.h>
#include <string.h>

#include "policy/alloc.h"
#include "policy/pagemap.h"

#define GRANULE_SHIFT 3
#define GRANULES (RFS_PAGE_SIZE >> GRANULE_SHIFT) /* in a page */
#define WHOLE 0xffu				  /* mask of all bytes of a granule */
#define FIRST 2					  /* a write and a read: what a place without sharing needs */

/* As in history.c: a free of a block this large leaves pages alone where nothing was accessed before. */
#define SPARSE_FREE (UINT64_C(64) << 20)

/* The epochs of some bytes of one granule, or of a whole page. */
struct place {
	struct place *next; /* of the same granule */
	uint8_t mask;	    /* its bytes; places of one granule have none in common */
	uint32_t n, capacity;
	struct rfs_history_access *list; /* first, or from malloc where there are more than FIRST */
	struct rfs_history_access first[FIRST];
};

struct page {
	struct place *whole;	 /* the page is one place; NULL: see granules */
	struct place **granules; /* first place of each, NULL: none; NULL until one has one */
};

struct rfs_epochs {
	rfs_history_race *race;
	void *arg;
	struct rfs_pagemap pages; /* of struct page */
};

/* A new access on its way through the pages. */
struct adding {
	struct rfs_epochs *epochs;
	const struct rfs_history_access *access;
	const struct rfs_vclock *knows;
	rfs_addr first, last; /* bytes */
};

struct rfs_epochs *rfs_epochs_new(rfs_history_race *race, void *arg)
{
	struct rfs_epochs *epochs = rfs_policy_zalloc(1, sizeof(*epochs));

	epochs->race = race;
	epochs->arg = arg;
	return epochs;
}

/* ---- places ---- */

static struct place *new_place(uint8_t mask, struct place *next)
{
	struct place *place = rfs_policy_zalloc(1, sizeof(*place));

	place->mask = mask;
	place->next = next;
	place->capacity = FIRST;
	place->list = place->first;
	return place;
}

static void free_place(struct place *place)
{
	if (place->list != place->first)
		free(place->list);
	free(place);
}

static void free_places(struct place *place)
{
	while (place) {
		struct place *next = place->next;

		free_place(place);
		place = next;
	}
}

static void append(struct place *place, const struct rfs_history_access *access)
{
	if (place->n == place->capacity) {
		size_t capacity = place->capacity * 2;
		struct rfs_history_access *list = rfs_policy_zalloc(capacity, sizeof(*list));

		memcpy(list, place->list, place->n * sizeof(*list));
		if (place->list != place->first)
			free(place->list);
		place->list = list;
		place->capacity = capacity;
	}
	place->list[place->n++] = *access;
}

static struct place *copy_place(const struct place *from, uint8_t mask, struct place *next)
{
	struct place *place = new_place(mask, next);

	for (uint32_t i = 0; i < from->n; i++)
		append(place, &from->list[i]);
	return place;
}

static bool writes(const struct rfs_history_access *access)
{
	return access->access & (RFS_ACCESS_WRITE | RFS_ACCESS_FREE);
}

static bool is_atomic(const struct rfs_history_access *access)
{
	return access->access & RFS_ACCESS_ATOMIC;
}

static bool conflict(const struct rfs_history_access *a, const struct rfs_history_access *b)
{
	return (writes(a) || writes(b)) && !(is_atomic(a) && is_atomic(b));
}

/* Does whatever conflicts with e conflict with n? */
static bool stands_for(const struct rfs_history_access *n, const struct rfs_history_access *e)
{
	return (writes(n) || !writes(e)) && (is_atomic(e) || !is_atomic(n));
}

/* The paper's [READ SAME EPOCH] and [WRITE SAME EPOCH]. The same site too: another one would be another pair. */
static bool same_epoch(const struct rfs_history_access *a, const struct rfs_history_access *b)
{
	return a->thread == b->thread && a->time == b->time && a->site == b->site && a->access == b->access;
}

static void visit_place(const struct adding *adding, struct place *place)
{
	const struct rfs_history_access *access = adding->access;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < place->n; i++) {
		if (same_epoch(&place->list[i], access))
			return; /* who came in between was compared with the one that is there */
	}
	for (uint32_t i = 0; i < place->n; i++) {
		const struct rfs_history_access *e = &place->list[i];
		bool ordered = e->thread == access->thread || e->time <= rfs_vclock_get(adding->knows, e->thread);

		if (!ordered && conflict(e, access))
			adding->epochs->race(adding->epochs->arg, e, access);
		if (!ordered || !stands_for(access, e))
			place->list[kept++] = *e;
	}
	place->n = kept;
	append(place, access);
}

/* ---- granules ---- */

/* Splits places that lie across the edge of mask: afterwards each is inside or outside. */
static void split(struct place *place, uint8_t mask)
{
	for (; place; place = place->next) {
		uint8_t inside = place->mask & mask;

		if (!inside || inside == place->mask)
			continue;
		place->mask &= (uint8_t)~mask;
		place->next = copy_place(place, inside, place->next);
	}
}

static void visit_granule(const struct adding *adding, struct place **granule, uint8_t mask)
{
	uint8_t known = 0;

	split(*granule, mask);
	for (struct place *place = *granule; place; place = place->next) {
		known |= place->mask;
		if (place->mask & mask)
			visit_place(adding, place);
	}
	if (mask & (uint8_t)~known) {
		*granule = new_place(mask & (uint8_t)~known, *granule);
		visit_place(adding, *granule);
	}
}

static void reset_granule(struct place **granule, uint8_t mask)
{
	split(*granule, mask);
	while (*granule) {
		struct place *place = *granule;

		if (place->mask & mask) {
			*granule = place->next;
			free_place(place);
		} else {
			granule = &place->next;
		}
	}
}

/* The bytes first to last that are of this granule of the page. */
static uint8_t mask_of(rfs_addr granule_start, rfs_addr first, rfs_addr last)
{
	unsigned low = first > granule_start ? (unsigned)(first - granule_start) : 0;
	unsigned high = last - granule_start < 7 ? (unsigned)(last - granule_start) : 7;

	return (uint8_t)((WHOLE << low) & (WHOLE >> (7 - high)));
}

/* ---- pages ---- */

/* A page that was one place so far: each granule gets what it had. */
static void split_page(struct page *page)
{
	if (!page->granules)
		page->granules = rfs_policy_zalloc(GRANULES, sizeof(*page->granules));
	if (!page->whole)
		return;
	for (size_t i = 0; i < GRANULES; i++)
		page->granules[i] = copy_place(page->whole, WHOLE, NULL);
	free_place(page->whole);
	page->whole = NULL;
}

static void visit_page(void *arg, uint64_t number, void *value)
{
	const struct adding *adding = arg;
	struct page *page = value;
	rfs_addr start = number << RFS_PAGE_SHIFT, end = start + (RFS_PAGE_SIZE - 1);
	rfs_addr first = adding->first > start ? adding->first : start;
	rfs_addr last = adding->last < end ? adding->last : end;

	if (first == start && last == end && !page->granules) {
		if (!page->whole)
			page->whole = new_place(WHOLE, NULL);
		visit_place(adding, page->whole);
		return;
	}
	split_page(page);
	for (size_t i = (first - start) >> GRANULE_SHIFT; i <= (last - start) >> GRANULE_SHIFT; i++)
		visit_granule(adding, &page->granules[i], mask_of(start + (i << GRANULE_SHIFT), first, last));
}

static void empty_page(struct page *page)
{
	if (page->whole)
		free_place(page->whole);
	for (size_t i = 0; page->granules && i < GRANULES; i++)
		free_places(page->granules[i]);
	free(page->granules);
	*page = (struct page){0};
}

static void free_page(void *arg, uint64_t number, void *value)
{
	(void)arg;
	(void)number;
	empty_page(value);
	free(value);
}

void rfs_epochs_free(struct rfs_epochs *epochs)
{
	rfs_pagemap_range(&epochs->pages, 0, UINT64_MAX, free_page, NULL);
	rfs_pagemap_release(&epochs->pages);
	free(epochs);
}

static rfs_addr last_byte(rfs_addr address, uint64_t size)
{
	return size - 1 > UINT64_MAX - address ? UINT64_MAX : address + (size - 1);
}

void rfs_epochs_add(struct rfs_epochs *epochs, const struct rfs_history_access *access, const struct rfs_vclock *knows)
{
	struct adding adding = {epochs, access, knows, access->address, 0};

	if (access->size == 0)
		return;
	adding.last = last_byte(access->address, access->size);
	if ((access->access & RFS_ACCESS_FREE) && access->size >= SPARSE_FREE) {
		rfs_pagemap_range(&epochs->pages, adding.first >> RFS_PAGE_SHIFT, adding.last >> RFS_PAGE_SHIFT,
				  visit_page, &adding);
		return;
	}
	for (uint64_t n = adding.first >> RFS_PAGE_SHIFT; n <= adding.last >> RFS_PAGE_SHIFT; n++) {
		struct page *page = rfs_pagemap_find(&epochs->pages, n);

		if (!page) {
			page = rfs_policy_zalloc(1, sizeof(*page));
			rfs_pagemap_add(&epochs->pages, n, page);
		}
		visit_page(&adding, n, page);
	}
}

struct span {
	rfs_addr first, last;
};

static void reset_page(void *arg, uint64_t number, void *value)
{
	const struct span *span = arg;
	struct page *page = value;
	rfs_addr start = number << RFS_PAGE_SHIFT, end = start + (RFS_PAGE_SIZE - 1);
	rfs_addr first = span->first > start ? span->first : start;
	rfs_addr last = span->last < end ? span->last : end;

	if (first == start && last == end) {
		empty_page(page);
		return;
	}
	split_page(page);
	for (size_t i = (first - start) >> GRANULE_SHIFT; i <= (last - start) >> GRANULE_SHIFT; i++)
		reset_granule(&page->granules[i], mask_of(start + (i << GRANULE_SHIFT), first, last));
}

void rfs_epochs_reset(struct rfs_epochs *epochs, rfs_addr address, uint64_t size)
{
	struct span span = {address, last_byte(address, size)};

	rfs_pagemap_range(&epochs->pages, span.first >> RFS_PAGE_SHIFT, span.last >> RFS_PAGE_SHIFT, reset_page, &span);
}
