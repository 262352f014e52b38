/* heap_blocks.h - the known blocks of the target's heap. */
#ifndef RFS_HEAP_BLOCKS_H
#define RFS_HEAP_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "disasm/addr.h"

struct rfs_run;

/* A block that malloc() or a similar function returned. */
struct rfs_block {
	rfs_addr address;     /* key */
	uint64_t size, order; /* order: how many allocations came before this one */
	uint64_t name;	      /* a name that is the same in every run (rfs_name_block()) */
	uint64_t object;      /* the same for addresses in the block (rfs_name_address()); 0: not made yet */
	uint64_t nth;	      /* how many blocks the thread had allocated at the same call before */
	uint64_t changed;     /* run->heap.changes when the block was allocated or, if it is freed, freed */
	int thread;
	bool freed; /* a freed block is kept until its memory is used again */
	rfs_addr stack[16];
	unsigned n_stack;
	UT_hash_handle hh;
};

/*
 * Adds a block that begins at this address, or finds the block that began there before. Sets address and size; the
 * caller sets the other members.
 */
struct rfs_block *rfs_heap_add(struct rfs_run *run, rfs_addr address, uint64_t size);
/*
 * The block that contains the address; a live block, if there is one. NULL: no block contains the address. Borrowed
 * until the next change of the heap.
 */
struct rfs_block *rfs_heap_block(const struct rfs_run *run, rfs_addr address);
/* The size of the known block that begins at this address, at least 1. 0: no such block is known. */
uint64_t rfs_heap_known_size(const struct rfs_run *run, rfs_addr block);
/* Counts an allocation at the call that returns to `site`. Returns how many the thread had made there before. */
uint64_t rfs_heap_count(struct rfs_run *run, int thread, rfs_addr site);
/* Frees all blocks. */
void rfs_heap_release(struct rfs_run *run);
/* Copies all blocks to the run of a copy of the fork server. */
void rfs_heap_copy(const struct rfs_run *from, struct rfs_run *to);

#endif
