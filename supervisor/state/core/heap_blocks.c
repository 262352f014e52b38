/* heap_blocks.c - the known blocks of the target's heap, by address. access/heap.c adds them. */
#include "supervisor/state/core/heap_blocks.h"

#include <stdlib.h>

#include "disasm/addr.h"
#include "supervisor/base/alloc.h"
#include "supervisor/state/core/run_state.h"

/*
 * A block is found through the pages that it covers. Pages of level L have PAGE << 3 * L bytes. A block is on the
 * lowest level on which it covers at most two pages.
 */
#define PAGE 512ull

struct rfs_block_page {
	uint64_t number; /* key: address divided by the size of the page */
	struct rfs_block **list;
	size_t n, room;
	UT_hash_handle hh;
};

static unsigned level_of(uint64_t size)
{
	unsigned level = 0;

	while (level + 1 < RFS_BLOCK_LEVELS && size > PAGE << 3 * level)
		level++;
	return level;
}

static uint64_t page_number(rfs_addr address, unsigned level)
{
	return address / (PAGE << 3 * level);
}

static uint64_t last_page(const struct rfs_block *block, unsigned level)
{
	rfs_addr last = block->address + (block->size ? block->size - 1 : 0);

	return page_number(last < block->address ? UINT64_MAX : last, level);
}

static void put_on_page(struct rfs_run *run, struct rfs_block *block, unsigned level, uint64_t number)
{
	struct rfs_block_page *page;

	HASH_FIND(hh, run->heap.pages[level], &number, sizeof(number), page);
	if (!page) {
		page = xcalloc(1, sizeof(*page));
		page->number = number;
		HASH_ADD(hh, run->heap.pages[level], number, sizeof(page->number), page);
	}
	if (page->n == page->room) {
		page->room = page->room ? 2 * page->room : 4;
		page->list = xreallocarray(page->list, page->room, sizeof(struct rfs_block *));
	}
	page->list[page->n++] = block;
}

static void take_from_page(struct rfs_run *run, const struct rfs_block *block, unsigned level, uint64_t number)
{
	struct rfs_block_page *page;

	HASH_FIND(hh, run->heap.pages[level], &number, sizeof(number), page);
	for (size_t i = 0; page && i < page->n; i++)
		if (page->list[i] == block) {
			page->list[i] = page->list[--page->n];
			return;
		}
}

static void put_on_pages(struct rfs_run *run, struct rfs_block *block)
{
	unsigned level = level_of(block->size);

	for (uint64_t number = page_number(block->address, level); number <= last_page(block, level); number++)
		put_on_page(run, block, level, number);
}

static void take_from_pages(struct rfs_run *run, const struct rfs_block *block)
{
	unsigned level = level_of(block->size);

	for (uint64_t number = page_number(block->address, level); number <= last_page(block, level); number++)
		take_from_page(run, block, level, number);
}

struct rfs_block *rfs_heap_add(struct rfs_run *run, rfs_addr address, uint64_t size)
{
	struct rfs_block *block;

	HASH_FIND(hh, run->heap.blocks, &address, sizeof(address), block);
	if (block) {
		take_from_pages(run, block);
	} else {
		block = xcalloc(1, sizeof(*block));
		block->address = address;
		HASH_ADD(hh, run->heap.blocks, address, sizeof(block->address), block);
	}
	block->size = size;
	put_on_pages(run, block);
	return block;
}

uint64_t rfs_heap_known_size(const struct rfs_run *run, rfs_addr block)
{
	struct rfs_block *known;

	HASH_FIND(hh, run->heap.blocks, &block, sizeof(block), known);
	return known && known->size ? known->size : known != NULL;
}

static bool heap_blocks_contains(const struct rfs_block *block, rfs_addr address)
{
	return address >= block->address && address - block->address < (block->size ? block->size : 1);
}

/* A live block is better than a freed one; then, the block that was allocated later is better. */
static bool heap_blocks_is_better(const struct rfs_block *block, const struct rfs_block *other)
{
	if (!other || block->freed != other->freed)
		return !other || !block->freed;
	return block->order > other->order;
}

struct rfs_block *rfs_heap_block(const struct rfs_run *run, rfs_addr address)
{
	struct rfs_block *found = NULL;

	for (unsigned level = 0; level < RFS_BLOCK_LEVELS; level++) {
		uint64_t number = page_number(address, level);
		const struct rfs_block_page *page;

		HASH_FIND(hh, run->heap.pages[level], &number, sizeof(number), page);
		for (size_t i = 0; page && i < page->n; i++)
			if (heap_blocks_contains(page->list[i], address) && heap_blocks_is_better(page->list[i], found))
				found = page->list[i];
	}
	return found;
}

/* The allocations of one thread at one call. */
struct rfs_allocation_count {
	struct {
		uint64_t thread;
		rfs_addr site;
	} key;
	uint64_t n;
	UT_hash_handle hh;
};

static struct rfs_allocation_count *count_of(struct rfs_run *run, uint64_t thread, rfs_addr site)
{
	struct rfs_allocation_count *count, wanted = {.key = {thread, site}};

	HASH_FIND(hh, run->heap.allocations, &wanted.key, sizeof(wanted.key), count);
	if (!count) {
		count = xcalloc(1, sizeof(*count));
		count->key = wanted.key;
		HASH_ADD(hh, run->heap.allocations, key, sizeof(count->key), count);
	}
	return count;
}

uint64_t rfs_heap_count(struct rfs_run *run, int thread, rfs_addr site)
{
	return count_of(run, (uint64_t)thread, site)->n++;
}

void rfs_heap_release(struct rfs_run *run)
{
	struct rfs_allocation_count *count, *next_count;
	struct rfs_block_page *page, *next_page;
	struct rfs_block *block, *next;

	for (unsigned level = 0; level < RFS_BLOCK_LEVELS; level++)
		HASH_ITER (hh, run->heap.pages[level], page, next_page) {
			HASH_DEL(run->heap.pages[level], page);
			free(page->list);
			free(page);
		}
	HASH_ITER (hh, run->heap.blocks, block, next) {
		HASH_DEL(run->heap.blocks, block);
		free(block);
	}
	HASH_ITER (hh, run->heap.allocations, count, next_count) {
		HASH_DEL(run->heap.allocations, count);
		free(count);
	}
}

void rfs_heap_copy(const struct rfs_run *from, struct rfs_run *to)
{
	for (const struct rfs_block *block = from->heap.blocks; block; block = block->hh.next) {
		struct rfs_block *copy = xmalloc(sizeof(*copy));

		*copy = *block;
		HASH_ADD(hh, to->heap.blocks, address, sizeof(copy->address), copy);
		put_on_pages(to, copy);
	}
	for (const struct rfs_allocation_count *count = from->heap.allocations; count; count = count->hh.next)
		count_of(to, count->key.thread, count->key.site)->n = count->n;
	to->heap.next_order = from->heap.next_order;
	to->heap.changes = from->heap.changes;
}
