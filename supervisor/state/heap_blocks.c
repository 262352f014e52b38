/* heap_blocks.c - the known blocks of the target's heap, by address. access/heap.c adds them. */
#include "supervisor/state/heap_blocks.h"

#include "disasm/addr.h"
#include "supervisor/base/alloc.h"
#include "supervisor/state/run_state.h"

/*
 * near_block() looks for blocks that begin at most this far below an address. Most objects are no farther than this
 * from the start of their block. Blocks begin at multiples of ALIGNMENT.
 */
#define NEAR 4096
#define ALIGNMENT 16

uint64_t rfs_heap_known_size(const struct rfs_run *run, rfs_addr block)
{
	struct rfs_block *known;

	HASH_FIND(hh, run->blocks, &block, sizeof(block), known);
	return known && known->size ? known->size : known != NULL;
}

/*
 * The live block that contains the address, if the block begins at most NEAR bytes below the address. There is at most
 * one such block.
 */
static struct rfs_block *near_block(const struct rfs_run *run, rfs_addr address)
{
	struct rfs_block *block;
	rfs_addr start = address - address % ALIGNMENT;

	for (unsigned i = 0; i < NEAR / ALIGNMENT; i++, start -= ALIGNMENT) {
		HASH_FIND(hh, run->blocks, &start, sizeof(start), block);
		if (block)
			return !block->freed && address - start < block->size ? block : NULL;
	}
	return NULL;
}

struct rfs_block *rfs_heap_block(const struct rfs_run *run, rfs_addr address)
{
	struct rfs_block *block, *next, *found = near_block(run, address);

	if (found)
		return found;
	HASH_ITER (hh, run->blocks, block, next) {
		if (address < block->address || address - block->address >= (block->size ? block->size : 1))
			continue;
		if (!found || (found->freed && !block->freed) ||
		    (found->freed == block->freed && block->order > found->order))
			found = block;
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

	HASH_FIND(hh, run->allocations, &wanted.key, sizeof(wanted.key), count);
	if (!count) {
		count = xcalloc(1, sizeof(*count));
		count->key = wanted.key;
		HASH_ADD(hh, run->allocations, key, sizeof(count->key), count);
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
	struct rfs_block *block, *next;

	HASH_ITER (hh, run->blocks, block, next) {
		HASH_DEL(run->blocks, block);
		free(block);
	}
	HASH_ITER (hh, run->allocations, count, next_count) {
		HASH_DEL(run->allocations, count);
		free(count);
	}
}

void rfs_heap_copy(const struct rfs_run *from, struct rfs_run *to)
{
	for (const struct rfs_block *block = from->blocks; block; block = block->hh.next) {
		struct rfs_block *copy = xmalloc(sizeof(*copy));

		*copy = *block;
		HASH_ADD(hh, to->blocks, address, sizeof(copy->address), copy);
	}
	for (const struct rfs_allocation_count *count = from->allocations; count; count = count->hh.next)
		count_of(to, count->key.thread, count->key.site)->n = count->n;
}
