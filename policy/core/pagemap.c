/* pagemap.c - open addressing with the last page that was found as a cache. */
#include "policy/core/pagemap.h"

#include <stdlib.h>

#include "policy/core/alloc.h"

#define FIRST_CAPACITY 256

/* Fibonacci hashing: neighbouring pages spread over the whole table. */
static size_t home(const struct rfs_pagemap *map, uint64_t page)
{
	return (page * 0x9e3779b97f4a7c15u >> 32) & (map->capacity - 1);
}

/* Index of the page's entry, or of the free entry where it belongs. The table is never full. */
static size_t pagemap_place(const struct rfs_pagemap *map, uint64_t page)
{
	size_t i = home(map, page);

	while (map->entries[i].value && map->entries[i].page != page)
		i = (i + 1) & (map->capacity - 1);
	return i;
}

void *rfs_pagemap_find(struct rfs_pagemap *map, uint64_t page)
{
	if (map->capacity == 0)
		return NULL;
	if (map->entries[map->last].page != page || !map->entries[map->last].value)
		map->last = pagemap_place(map, page);
	return map->entries[map->last].value;
}

static void pagemap_grow(struct rfs_pagemap *map)
{
	struct rfs_pagemap old = *map;

	map->capacity = old.capacity ? old.capacity * 2 : FIRST_CAPACITY;
	map->entries = rfs_policy_zalloc(map->capacity, sizeof(*map->entries));
	for (size_t i = 0; i < old.capacity; i++) {
		if (old.entries[i].value)
			map->entries[pagemap_place(map, old.entries[i].page)] = old.entries[i];
	}
	free(old.entries);
}

void rfs_pagemap_add(struct rfs_pagemap *map, uint64_t page, void *value)
{
	if (map->n + 1 > map->capacity / 2)
		pagemap_grow(map);
	map->last = pagemap_place(map, page);
	map->entries[map->last] = (struct rfs_pagemap_entry){page, value};
	map->n++;
}

void rfs_pagemap_range(struct rfs_pagemap *map, uint64_t first, uint64_t last, rfs_pagemap_visit *visit, void *arg)
{
	if (last - first < map->capacity) {
		for (uint64_t page = first; page - first <= last - first; page++) {
			void *value = rfs_pagemap_find(map, page);

			if (value)
				visit(arg, page, value);
		}
		return;
	}
	for (size_t i = 0; i < map->capacity; i++) {
		const struct rfs_pagemap_entry *entry = &map->entries[i];

		if (entry->value && entry->page >= first && entry->page <= last)
			visit(arg, entry->page, entry->value);
	}
}

void rfs_pagemap_release(struct rfs_pagemap *map)
{
	free(map->entries);
	*map = (struct rfs_pagemap){0};
}
