/* suspects.c - a set of granules for each page, and runs of them as a blob for the second pass. */
#include "policy/shadow/suspects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"
#include "policy/results.h"
#include "policy/shadow/shadow.h"

/* A saved set is an array of these, in ascending order: the numbers (address >> RFS_GRANULE_SHIFT) of granules that
 * follow each other. */
struct run {
	uint64_t first, last;
};

#define PAGE_GRANULES_SHIFT (RFS_PAGE_SHIFT - RFS_GRANULE_SHIFT)

static void add_number(struct rfs_suspects *suspects, uint64_t granule)
{
	const uint64_t page = granule >> PAGE_GRANULES_SHIFT;
	struct rfs_granule_set *set = rfs_pagemap_find(&suspects->pages, page);

	if (!set) {
		set = rfs_policy_zalloc(1, sizeof(*set));
		rfs_pagemap_add(&suspects->pages, page, set);
	}
	rfs_granules_add(set, granule & (RFS_GRANULES - 1));
}

void rfs_suspects_add(struct rfs_suspects *suspects, rfs_addr address)
{
	add_number(suspects, address >> RFS_GRANULE_SHIFT);
}

/* The granules from first to last, which may be of more than one page. */
struct search {
	uint64_t first, last;
	bool found;
};

static void search_page(void *arg, uint64_t page, void *value)
{
	struct search *search = arg;
	const uint64_t start = page << PAGE_GRANULES_SHIFT, end = start + (RFS_GRANULES - 1);
	const struct rfs_granule_set *set = value;
	const uint64_t first = search->first > start ? search->first : start;
	const uint64_t last = search->last < end ? search->last : end;

	search->found |= rfs_granules_next(set, first & (RFS_GRANULES - 1)) <= (last & (RFS_GRANULES - 1));
}

bool rfs_suspects_any(struct rfs_suspects *suspects, rfs_addr address, uint64_t size)
{
	const rfs_addr end = address + (size - 1) < address ? UINT64_MAX : address + (size - 1);
	struct search search = {.first = address >> RFS_GRANULE_SHIFT, .last = end >> RFS_GRANULE_SHIFT};

	if (size == 0)
		return false;
	if (address >> RFS_PAGE_SHIFT == end >> RFS_PAGE_SHIFT) {
		const struct rfs_granule_set *set = rfs_pagemap_find(&suspects->pages, address >> RFS_PAGE_SHIFT);

		if (set && search.first == search.last)
			return rfs_granules_has(set, search.first & (RFS_GRANULES - 1));
		if (set)
			search_page(&search, address >> RFS_PAGE_SHIFT, (void *)set);
		return search.found;
	}
	rfs_pagemap_range(&suspects->pages, address >> RFS_PAGE_SHIFT, end >> RFS_PAGE_SHIFT, search_page, &search);
	return search.found;
}

struct page_visit {
	void (*f)(void *arg, rfs_addr page);
	void *arg;
};

static void suspects_visit_page(void *arg, uint64_t page, void *value)
{
	const struct page_visit *visit = arg;

	(void)value;
	visit->f(visit->arg, page << RFS_PAGE_SHIFT);
}

void rfs_suspects_visit_pages(struct rfs_suspects *suspects, rfs_addr first, rfs_addr last,
			      void (*f)(void *arg, rfs_addr page), void *arg)
{
	struct page_visit visit = {f, arg};

	rfs_pagemap_range(&suspects->pages, first >> RFS_PAGE_SHIFT, last >> RFS_PAGE_SHIFT, suspects_visit_page,
			  &visit);
}

/* ---- as bytes ---- */

struct pages {
	uint64_t *numbers;
	size_t n, capacity;
};

static void collect_page(void *arg, uint64_t page, void *value)
{
	struct pages *pages = arg;

	(void)value;
	pages->numbers = rfs_policy_grow(pages->numbers, &pages->capacity, pages->n + 1, sizeof(*pages->numbers));
	pages->numbers[pages->n++] = page;
}

static int suspects_compare(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

void rfs_suspects_save(const struct rfs_suspects *suspects, struct rfs_blob *out)
{
	struct rfs_pagemap map = suspects->pages; /* a lookup notes what it has found */
	struct pages pages = {0};
	struct run *runs = NULL;
	size_t n = 0, capacity = 0;

	rfs_pagemap_range(&map, 0, UINT64_MAX, collect_page, &pages);
	if (pages.n)
		qsort(pages.numbers, pages.n, sizeof(*pages.numbers), suspects_compare);
	for (size_t i = 0; i < pages.n; i++) {
		const struct rfs_granule_set *set = rfs_pagemap_find(&map, pages.numbers[i]);

		for (unsigned g = rfs_granules_next(set, 0); g < RFS_GRANULES; g = rfs_granules_next(set, g + 1)) {
			const uint64_t granule = (pages.numbers[i] << PAGE_GRANULES_SHIFT) + g;

			if (n && runs[n - 1].last + 1 == granule) {
				runs[n - 1].last = granule;
				continue;
			}
			runs = rfs_policy_grow(runs, &capacity, n + 1, sizeof(*runs));
			runs[n++] = (struct run){granule, granule};
		}
	}
	free(pages.numbers);
	*out = (struct rfs_blob){runs, n * sizeof(*runs)};
}

int rfs_suspects_saved(const struct rfs_blob *blob, void (*f)(void *arg, rfs_addr address, uint64_t size), void *arg)
{
	const size_t n = blob->size / sizeof(struct run);

	if (blob->size % sizeof(struct run))
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		struct run run;

		memcpy(&run, (const char *)blob->data + i * sizeof(run), sizeof(run));
		if (run.first > run.last || run.last > UINT64_MAX >> RFS_GRANULE_SHIFT)
			return -EINVAL;
		f(arg, run.first << RFS_GRANULE_SHIFT, (run.last - run.first + 1) << RFS_GRANULE_SHIFT);
	}
	return 0;
}

static void load_range(void *arg, rfs_addr address, uint64_t size)
{
	const uint64_t first = address >> RFS_GRANULE_SHIFT;

	for (uint64_t i = 0; i < size >> RFS_GRANULE_SHIFT; i++)
		add_number(arg, first + i);
}

int rfs_suspects_load(struct rfs_suspects *suspects, const struct rfs_blob *blob)
{
	return rfs_suspects_saved(blob, load_range, suspects);
}

static void suspects_free_page(void *arg, uint64_t page, void *value)
{
	(void)arg;
	(void)page;
	free(value);
}

void rfs_suspects_release(struct rfs_suspects *suspects)
{
	rfs_pagemap_range(&suspects->pages, 0, UINT64_MAX, suspects_free_page, NULL);
	rfs_pagemap_release(&suspects->pages);
	*suspects = (struct rfs_suspects){0};
}
