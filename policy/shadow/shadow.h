/*
 * shadow.h - shadow memory: what is known of each place in the target's memory, found by address.
 *
 * The target's memory is divided into granules of 8 bytes. Each granule has a word of 4 bytes, in an array of its
 * region of 1 MiB. Regions are found through two levels of tables, like pages in a processor's page tables. The arrays
 * come from mmap(2), so they cost memory only for pages whose granules were accessed. An access that covers many
 * granules of a 4 KiB page is stored once for this page, as a range.
 */
#ifndef RFS_SHADOW_H
#define RFS_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/core/pagemap.h"
#include "policy/operations.h"
#include "policy/shadow/access_descriptor.h"

#define RFS_GRANULE_SHIFT 3
#define RFS_GRANULES (RFS_PAGE_SIZE >> RFS_GRANULE_SHIFT) /* number of granules in a page */
#define RFS_GRANULE_WHOLE 0xffu				  /* mask of all bytes of a granule */

struct rfs_granule_set {
	uint64_t bits[RFS_GRANULES / 64];
};

/* A range: the granules of one page that a long access covers completely. */
struct rfs_range_access {
	rfs_access_descriptor stamp;
	uint32_t next; /* index of the next range of the page; 0: none */
	rfs_addr address;
	struct rfs_granule_set granules; /* the covered granules; at least one */
};

struct rfs_shadow_page {
	struct rfs_granule_set used; /* granules whose word is not 0 */
	uint32_t ranges;	     /* index of the first range; 0: none */
};

#define RFS_REGION_SHIFT 20
#define RFS_REGION_PAGES (1u << (RFS_REGION_SHIFT - RFS_PAGE_SHIFT))
#define RFS_REGION_WORDS (1u << (RFS_REGION_SHIFT - RFS_GRANULE_SHIFT))
#define RFS_PAGE_WORDS (RFS_PAGE_SIZE / sizeof(uint32_t)) /* words in a page of our memory */
#define RFS_REGION_WORD_PAGES (RFS_REGION_WORDS / RFS_PAGE_WORDS)

struct rfs_region {
	/* one word for each granule, with the meaning that granule.c gives it; 0: no access */
	uint32_t words[RFS_REGION_WORDS];
	struct rfs_shadow_page pages[RFS_REGION_PAGES];
	uint64_t touched[RFS_REGION_PAGES / 64]; /* bit set of the pages that ever had a word or a range */
	/* Bit set: which pages of memory the words that were ever written are in. A word is never read before. */
	uint64_t filled[RFS_REGION_WORD_PAGES / 64];
	uint64_t used;	 /* the time of struct rfs_shadow when the last sequence of lookups of this region began */
	uint64_t number; /* address >> RFS_REGION_SHIFT */
	size_t index;	 /* in the array regions of struct rfs_shadow */
};

struct rfs_shadow {
	uint64_t *bytes;	     /* counts the memory of regions and of ranges in use; borrowed */
	uint64_t time;		     /* how often a lookup was of another region than the one before */
	struct rfs_region *last;     /* the region of the last lookup */
	struct rfs_region ***tables; /* two levels; NULL: no regions there */
	struct rfs_pagemap high;     /* regions beyond user space (for wild pointers), by number */
	struct rfs_region **regions;
	size_t n_regions, regions_capacity;
	struct rfs_region *spare; /* a dropped region, zeroed; NULL: none */

	struct rfs_range_access *ranges;
	size_t n_ranges, ranges_capacity;
	uint32_t free_range; /* the first free range of a list; ranges[0] is not used */
};

/* Call init on zeroed memory. rfs_shadow_release() frees everything except what words and ranges refer to. */
void rfs_shadow_init(struct rfs_shadow *shadow, uint64_t *bytes);
void rfs_shadow_release(struct rfs_shadow *shadow);

/* The region of an address. Makes one if there is none. */
struct rfs_region *rfs_shadow_make(struct rfs_shadow *shadow, rfs_addr address);
/* Frees a region, which must have no words and ranges. */
void rfs_shadow_drop(struct rfs_shadow *shadow, struct rfs_region *region);

/* The region of an address, like rfs_shadow_make(); fast if it is the same region as last time. */
static inline struct rfs_region *rfs_shadow_at(struct rfs_shadow *shadow, rfs_addr address)
{
	if (__builtin_expect(shadow->last && shadow->last->number == address >> RFS_REGION_SHIFT, 1))
		return shadow->last;
	return rfs_shadow_make(shadow, address);
}

static inline struct rfs_shadow_page *rfs_shadow_page(struct rfs_region *region, rfs_addr address)
{
	return &region->pages[address >> RFS_PAGE_SHIFT & (RFS_REGION_PAGES - 1)];
}

static inline uint32_t *rfs_shadow_word(struct rfs_region *region, rfs_addr address)
{
	return &region->words[address >> RFS_GRANULE_SHIFT & (RFS_REGION_WORDS - 1)];
}

/* The mask of the bytes from first to last that are in this granule. */
static inline uint8_t rfs_granule_mask(rfs_addr granule, rfs_addr first, rfs_addr last)
{
	unsigned mask = RFS_GRANULE_WHOLE;

	if (first > granule)
		mask &= RFS_GRANULE_WHOLE << (first - granule);
	if (last < granule + 7)
		mask &= RFS_GRANULE_WHOLE >> (granule + 7 - last);
	return (uint8_t)mask;
}

static inline void rfs_shadow_touch(struct rfs_region *region, rfs_addr address)
{
	unsigned page = address >> RFS_PAGE_SHIFT & (RFS_REGION_PAGES - 1);

	region->touched[page / 64] |= UINT64_C(1) << page % 64;
}

/* Call it when a word is written. */
static inline void rfs_shadow_fill(struct rfs_shadow *shadow, struct rfs_region *region, rfs_addr address)
{
	const unsigned page = (address >> RFS_GRANULE_SHIFT & (RFS_REGION_WORDS - 1)) / RFS_PAGE_WORDS;

	if (region->filled[page / 64] >> page % 64 & 1)
		return;
	region->filled[page / 64] |= UINT64_C(1) << page % 64;
	*shadow->bytes += RFS_PAGE_SIZE;
}

/* The *n regions that can be dropped, beginning with the one that was not looked up for the longest time. Caller frees.
 */
struct rfs_region **rfs_shadow_by_age(const struct rfs_shadow *shadow, size_t *n);

/* Calls visit for each page between first and last, both included, that ever had a word or a range. visit must not make
 * regions. The cost grows with the number of regions in that memory or of all regions, whichever is smaller. */
typedef void rfs_shadow_visit(void *arg, rfs_addr start, struct rfs_region *region);
void rfs_shadow_visit_pages(struct rfs_shadow *shadow, rfs_addr first, rfs_addr last, rfs_shadow_visit *visit,
			    void *arg);
/* Like rfs_shadow_visit_pages(), but only for the pages of one region. */
void rfs_shadow_visit_region(struct rfs_region *region, rfs_addr first, rfs_addr last, rfs_shadow_visit *visit,
			     void *arg);
/* Calls visit for each region in that memory. visit may drop the region that it gets. */
void rfs_shadow_visit_regions(struct rfs_shadow *shadow, rfs_addr first, rfs_addr last, rfs_shadow_visit *visit,
			      void *arg);

/* The index of a new range. The call may move shadow->ranges. */
uint32_t rfs_shadow_new_range(struct rfs_shadow *shadow);
/* Frees a range. The caller must first remove it from the list of its page and drop the reference to its descriptor. */
void rfs_shadow_free_range(struct rfs_shadow *shadow, uint32_t range);

/* ---- sets of granules ---- */

static inline bool rfs_granules_has(const struct rfs_granule_set *set, unsigned granule)
{
	return set->bits[granule / 64] >> granule % 64 & 1;
}

static inline void rfs_granules_add(struct rfs_granule_set *set, unsigned granule)
{
	set->bits[granule / 64] |= UINT64_C(1) << granule % 64;
}

static inline void rfs_granules_remove(struct rfs_granule_set *set, unsigned granule)
{
	set->bits[granule / 64] &= ~(UINT64_C(1) << granule % 64);
}

bool rfs_granules_empty(const struct rfs_granule_set *set);
void rfs_granules_subtract(struct rfs_granule_set *set, const struct rfs_granule_set *less);
struct rfs_granule_set rfs_granules_intersect(const struct rfs_granule_set *a, const struct rfs_granule_set *b);
/* The granules first to end - 1. */
struct rfs_granule_set rfs_granules_interval(unsigned first, unsigned end);
/* The first granule of the set at or after from; RFS_GRANULES if there is none. */
unsigned rfs_granules_next(const struct rfs_granule_set *set, unsigned from);

#endif
