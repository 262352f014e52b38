/*
 * shadow.c - the tables of regions, the granules in them, and the walk over all of them. What a word means is in
 * history.c.
 */
#include "policy/shadow/shadow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "policy/core/alloc.h"

/* A user-space address has 47 bits: 13 for the upper table, 14 for the lower one, and 20 inside a region. */
#define USER_BITS 47
#define LOW_BITS 14
#define HIGH_BITS (USER_BITS - RFS_REGION_SHIFT - LOW_BITS)

/* A dropped region with at most this many pages of words is zeroed and kept for the next one, which is faster than two
 * system calls and the faults of new memory. Some programs map and unmap memory all the time. */
#define SPARE_PAGES 8

/* What a region has beside its words. */
#define REGION_REST (sizeof(struct rfs_region) - RFS_REGION_WORDS * sizeof(uint32_t))

void rfs_shadow_init(struct rfs_shadow *shadow, uint64_t *bytes)
{
	shadow->bytes = bytes;
	shadow->tables = rfs_policy_zalloc(1u << HIGH_BITS, sizeof(*shadow->tables));
	shadow->n_ranges = 1;
}

/* The lower table's entry for this region; NULL if there is no such table, or the region is beyond user space. */
static struct rfs_region **slot(struct rfs_shadow *shadow, uint64_t number)
{
	struct rfs_region **low;

	if (number >> (LOW_BITS + HIGH_BITS))
		return NULL;
	low = shadow->tables[number >> LOW_BITS];
	return low ? &low[number & ((1u << LOW_BITS) - 1)] : NULL;
}

/* The region of this address; NULL if it was never made. */
static struct rfs_region *find_region(struct rfs_shadow *shadow, rfs_addr address)
{
	uint64_t number = address >> RFS_REGION_SHIFT;
	struct rfs_region **place = slot(shadow, number);

	if (number >> (LOW_BITS + HIGH_BITS))
		return rfs_pagemap_find(&shadow->high, number);
	return place ? *place : NULL;
}

/* Uses mmap(2), so pages of the region that are never written cost no memory. */
static struct rfs_region *new_region(struct rfs_shadow *shadow, uint64_t number)
{
	struct rfs_region *region = shadow->spare;

	shadow->spare = NULL;
	if (!region)
		region = mmap(NULL, sizeof(*region), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (region == MAP_FAILED)
		rfs_policy_out_of_memory();
	region->number = number;
	region->index = shadow->n_regions++;
	shadow->regions = rfs_policy_grow(shadow->regions, &shadow->regions_capacity, shadow->n_regions,
					  sizeof(struct rfs_region *));
	shadow->regions[region->index] = region;
	*shadow->bytes += REGION_REST;
	return region;
}

struct rfs_region *rfs_shadow_make(struct rfs_shadow *shadow, rfs_addr address)
{
	uint64_t number = address >> RFS_REGION_SHIFT;
	struct rfs_region *region = find_region(shadow, address);

	if (!region) {
		region = new_region(shadow, number);
		if (number >> (LOW_BITS + HIGH_BITS)) {
			rfs_pagemap_add(&shadow->high, number, region);
		} else {
			if (!shadow->tables[number >> LOW_BITS])
				shadow->tables[number >> LOW_BITS] =
					rfs_policy_zalloc(1u << LOW_BITS, sizeof(struct rfs_region *));
			*slot(shadow, number) = region;
		}
	}
	region->used = ++shadow->time;
	shadow->last = region;
	return region;
}

void rfs_shadow_drop(struct rfs_shadow *shadow, struct rfs_region *region)
{
	struct rfs_region **place = slot(shadow, region->number), *moved;
	unsigned filled = 0;

	if (!place)
		return; /* beyond user space: kept, because the map cannot remove an entry */
	*place = NULL;
	moved = shadow->regions[--shadow->n_regions];
	shadow->regions[region->index] = moved;
	moved->index = region->index;
	if (shadow->last == region)
		shadow->last = NULL;
	for (size_t i = 0; i < RFS_REGION_WORD_PAGES / 64; i++)
		filled += (unsigned)__builtin_popcountll(region->filled[i]);
	*shadow->bytes -= REGION_REST + (uint64_t)filled * RFS_PAGE_SIZE;
	if (shadow->spare || filled > SPARE_PAGES) {
		munmap(region, sizeof(*region));
		return;
	}
	for (size_t i = 0; i < RFS_REGION_WORD_PAGES; i++)
		if (region->filled[i / 64] >> i % 64 & 1)
			memset(&region->words[i * RFS_PAGE_WORDS], 0, RFS_PAGE_SIZE);
	memset((char *)region + sizeof(region->words), 0, REGION_REST);
	shadow->spare = region;
}

static int compare_age(const void *x, const void *y)
{
	const struct rfs_region *a = *(struct rfs_region *const *)x, *b = *(struct rfs_region *const *)y;

	return (a->used > b->used) - (a->used < b->used);
}

struct rfs_region **rfs_shadow_by_age(const struct rfs_shadow *shadow, size_t *n)
{
	struct rfs_region **list = rfs_policy_zalloc(shadow->n_regions + 1, sizeof(struct rfs_region *));

	*n = 0;
	for (size_t i = 0; i < shadow->n_regions; i++)
		if (!(shadow->regions[i]->number >> (LOW_BITS + HIGH_BITS)))
			list[(*n)++] = shadow->regions[i];
	qsort(list, *n, sizeof(struct rfs_region *), compare_age);
	return list;
}

void rfs_shadow_release(struct rfs_shadow *shadow)
{
	for (size_t i = 0; i < shadow->n_regions; i++)
		munmap(shadow->regions[i], sizeof(struct rfs_region));
	for (size_t i = 0; i < 1u << HIGH_BITS; i++)
		free(shadow->tables[i]);
	if (shadow->spare)
		munmap(shadow->spare, sizeof(*shadow->spare));
	free(shadow->tables);
	rfs_pagemap_release(&shadow->high);
	free(shadow->regions);
	free(shadow->ranges);
}

void rfs_shadow_visit_regions(struct rfs_shadow *shadow, rfs_addr first, rfs_addr last, rfs_shadow_visit *visit,
			      void *arg)
{
	uint64_t low = first >> RFS_REGION_SHIFT, high = last >> RFS_REGION_SHIFT;

	if (high - low >= shadow->n_regions) {
		for (size_t i = shadow->n_regions;
		     i-- > 0;) { /* downwards: visit may drop a region, and the last one then takes its place */
			struct rfs_region *region = shadow->regions[i];

			if (region->number >= low && region->number <= high)
				visit(arg, region->number << RFS_REGION_SHIFT, region);
		}
		return;
	}
	for (uint64_t number = low; number - low <= high - low; number++) {
		struct rfs_region *region = find_region(shadow, number << RFS_REGION_SHIFT);

		if (region)
			visit(arg, number << RFS_REGION_SHIFT, region);
	}
}

void rfs_shadow_visit_region(struct rfs_region *region, rfs_addr first, rfs_addr last, rfs_shadow_visit *visit,
			     void *arg)
{
	const rfs_addr start = region->number << RFS_REGION_SHIFT, end = start + ((1u << RFS_REGION_SHIFT) - 1);
	const unsigned low = first > start ? (unsigned)((first - start) >> RFS_PAGE_SHIFT) : 0;
	const unsigned high = last < end ? (unsigned)((last - start) >> RFS_PAGE_SHIFT) : RFS_REGION_PAGES - 1;

	for (unsigned i = low; i <= high; i++) {
		if (region->touched[i / 64] >> i % 64 & 1)
			visit(arg, start + ((rfs_addr)i << RFS_PAGE_SHIFT), region);
	}
}

struct page_visit {
	rfs_addr first, last;
	rfs_shadow_visit *visit;
	void *arg;
};

static void visit_pages(void *arg, rfs_addr start, struct rfs_region *region)
{
	const struct page_visit *pages = arg;

	(void)start;
	rfs_shadow_visit_region(region, pages->first, pages->last, pages->visit, pages->arg);
}

void rfs_shadow_visit_pages(struct rfs_shadow *shadow, rfs_addr first, rfs_addr last, rfs_shadow_visit *visit,
			    void *arg)
{
	struct page_visit pages = {first, last, visit, arg};

	rfs_shadow_visit_regions(shadow, first, last, visit_pages, &pages);
}

uint32_t rfs_shadow_new_range(struct rfs_shadow *shadow)
{
	uint32_t i = shadow->free_range;

	*shadow->bytes += sizeof(*shadow->ranges);
	if (i) {
		shadow->free_range = shadow->ranges[i].next;
		return i;
	}
	i = (uint32_t)shadow->n_ranges++;
	shadow->ranges =
		rfs_policy_grow(shadow->ranges, &shadow->ranges_capacity, shadow->n_ranges, sizeof(*shadow->ranges));
	return i;
}

void rfs_shadow_free_range(struct rfs_shadow *shadow, uint32_t range)
{
	*shadow->bytes -= sizeof(*shadow->ranges);
	shadow->ranges[range].next = shadow->free_range;
	shadow->free_range = range;
}

bool rfs_granules_empty(const struct rfs_granule_set *set)
{
	uint64_t any = 0;

	for (size_t i = 0; i < RFS_GRANULES / 64; i++)
		any |= set->bits[i];
	return !any;
}

void rfs_granules_subtract(struct rfs_granule_set *set, const struct rfs_granule_set *less)
{
	for (size_t i = 0; i < RFS_GRANULES / 64; i++)
		set->bits[i] &= ~less->bits[i];
}

struct rfs_granule_set rfs_granules_intersect(const struct rfs_granule_set *a, const struct rfs_granule_set *b)
{
	struct rfs_granule_set both;

	for (size_t i = 0; i < RFS_GRANULES / 64; i++)
		both.bits[i] = a->bits[i] & b->bits[i];
	return both;
}

struct rfs_granule_set rfs_granules_interval(unsigned first, unsigned end)
{
	struct rfs_granule_set set = {{0}};

	for (unsigned g = first; g < end; g++)
		rfs_granules_add(&set, g);
	return set;
}

unsigned rfs_granules_next(const struct rfs_granule_set *set, unsigned from)
{
	for (unsigned word = from / 64; word < RFS_GRANULES / 64; word++) {
		uint64_t bits = set->bits[word];

		if (word == from / 64)
			bits &= ~UINT64_C(0) << from % 64;
		if (bits)
			return word * 64 + (unsigned)__builtin_ctzll(bits);
	}
	return RFS_GRANULES;
}
