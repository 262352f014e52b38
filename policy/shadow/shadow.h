/*
 * shadow.h - shadow memory: what is known of each place in the target's memory, found by address alone.
 *
 * Memory is looked at in granules of 8 bytes. Each has a word of 4 bytes, in an array of its region of 1 MiB; regions
 * are found through two levels of tables, as a processor's page tables do it (47 bits of user space: 13, 14 and 20).
 * The arrays come from mmap(2), so that only those pages of them cost memory whose granules were accessed. What covers
 * many granules of a page of 4 KiB is a range of that page, one for all.
 */
#ifndef RFS_SHADOW_H
#define RFS_SHADOW_H

#include "policy/core/pagemap.h"
#include "policy/shadow/access_descriptor.h"

#define RFS_GRANULE_SHIFT 3
#define RFS_GRANULES (RFS_PAGE_SIZE >> RFS_GRANULE_SHIFT) /* in a page */
#define RFS_GRANULE_WHOLE 0xffu				  /* mask of all bytes of a granule */

struct rfs_granule_set {
	uint64_t bits[RFS_GRANULES / 64];
};

/* The whole granules of one page that a long access covers. */
struct rfs_range_access {
	rfs_access_descriptor stamp;
	uint32_t next; /* in the pool, 0: none */
	rfs_addr address;
	struct rfs_granule_set granules; /* not empty */
};

struct rfs_shadow_page {
	struct rfs_granule_set used; /* granules whose word is not 0 */
	uint32_t ranges;	     /* the first, 0: none */
};

#define RFS_REGION_SHIFT 20
#define RFS_REGION_PAGES (1u << (RFS_REGION_SHIFT - RFS_PAGE_SHIFT))

struct rfs_region {
	uint32_t words[1u << (RFS_REGION_SHIFT - RFS_GRANULE_SHIFT)]; /* the user's; 0: no access */
	struct rfs_shadow_page pages[RFS_REGION_PAGES];
	uint64_t touched[RFS_REGION_PAGES / 64]; /* pages that ever had a word or a range */
	uint64_t number;			 /* address >> RFS_REGION_SHIFT */
	size_t index;				 /* among all regions */
};

struct rfs_shadow {
	struct rfs_region *last;     /* the one looked up last */
	struct rfs_region ***tables; /* two levels; NULL: none below */
	struct rfs_pagemap high;     /* regions beyond user space, by number: wild pointers */
	struct rfs_region **regions;
	size_t n_regions, regions_capacity;

	struct rfs_range_access *ranges;
	size_t n_ranges, ranges_capacity;
	uint32_t free_range; /* a list; place 0 is not used */
};

/* Zeroed memory plus this; rfs_shadow_release() frees everything except what words and ranges refer to. */
void rfs_shadow_init(struct rfs_shadow *shadow);
void rfs_shadow_release(struct rfs_shadow *shadow);

/* The region of an address, made if there is none. */
struct rfs_region *rfs_shadow_make(struct rfs_shadow *shadow, rfs_addr address);
/* Frees a region without words and ranges. */
void rfs_shadow_drop(struct rfs_shadow *shadow, struct rfs_region *region);

/* The region, for writing; usually the same one as last time. */
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
	return &region->words[address >> RFS_GRANULE_SHIFT & ((1u << (RFS_REGION_SHIFT - RFS_GRANULE_SHIFT)) - 1)];
}

static inline void rfs_shadow_touch(struct rfs_region *region, rfs_addr address)
{
	unsigned page = address >> RFS_PAGE_SHIFT & (RFS_REGION_PAGES - 1);

	region->touched[page / 64] |= UINT64_C(1) << page % 64;
}

/* Calls visit for each page between first and last, both included, that ever had a word or a range. visit must
 * not make regions. Costs the smaller of the regions in that memory and of those that there are. */
typedef void rfs_shadow_visit(void *arg, rfs_addr start, struct rfs_region *region);
void rfs_shadow_visit_pages(struct rfs_shadow *shadow, rfs_addr first, rfs_addr last, rfs_shadow_visit *visit,
			    void *arg);
/* The same in one region. */
void rfs_shadow_visit_region(struct rfs_region *region, rfs_addr first, rfs_addr last, rfs_shadow_visit *visit,
			     void *arg);
/* The same for regions. visit may drop the region that it is given. */
void rfs_shadow_visit_regions(struct rfs_shadow *shadow, rfs_addr first, rfs_addr last, rfs_shadow_visit *visit,
			      void *arg);

/* May move the ranges. */
uint32_t rfs_shadow_new_range(struct rfs_shadow *shadow);
/* The caller must first remove the range from its list and drop what it refers to. */
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
/* first to end - 1 */
struct rfs_granule_set rfs_granules_interval(unsigned first, unsigned end);
/* The first granule of the set at or after from; RFS_GRANULES if there is none. */
unsigned rfs_granules_next(const struct rfs_granule_set *set, unsigned from);

#endif
