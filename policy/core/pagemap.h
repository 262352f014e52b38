/*
 * pagemap.h - a map from page numbers of the target's memory to pointers, by open addressing. It is fast in two cases
 * that a general hash map does badly: looking up the same page again and again, and visiting all known pages of a large
 * range.
 */
#ifndef RFS_PAGEMAP_H
#define RFS_PAGEMAP_H

#include <stddef.h>
#include <stdint.h>

#define RFS_PAGE_SHIFT 12
#define RFS_PAGE_SIZE (UINT64_C(1) << RFS_PAGE_SHIFT)

struct rfs_pagemap_entry {
	uint64_t page; /* address >> RFS_PAGE_SHIFT */
	void *value;   /* NULL: the entry is free */
};

/* Zeroed memory is an empty map. */
struct rfs_pagemap {
	struct rfs_pagemap_entry *entries;
	size_t n, capacity; /* capacity: 0 or a power of two */
	size_t last;	    /* index of the entry that the last lookup found */
};

/* The page's value, NULL if it has none. */
void *rfs_pagemap_find(struct rfs_pagemap *map, uint64_t page);

/* Sets the value of a page that has none. The value must not be NULL. */
void rfs_pagemap_add(struct rfs_pagemap *map, uint64_t page, void *value);

/*
 * Calls visit for each page of the map between first and last, both included, in no particular order. visit must not
 * add pages. The cost grows with the number of pages in the range or the size of the map, whichever is smaller.
 */
typedef void rfs_pagemap_visit(void *arg, uint64_t page, void *value);
void rfs_pagemap_range(struct rfs_pagemap *map, uint64_t first, uint64_t last, rfs_pagemap_visit *visit, void *arg);

/* Frees the map but not its values. The caller must free these first. */
void rfs_pagemap_release(struct rfs_pagemap *map);

#endif
