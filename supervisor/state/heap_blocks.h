/* heap_blocks.h - the known blocks of the target's heap. */
#ifndef RFS_HEAP_BLOCKS_H
#define RFS_HEAP_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "disasm/addr.h"

struct rfs_run;

/* One block that malloc gave, or a function like it. */
struct rfs_block {
	rfs_addr address;     /* key */
	uint64_t size, order; /* order: the number of the allocation among all */
	uint64_t name;	      /* a name that is the same in every run */
	int thread;
	bool freed; /* kept until the memory is used again */
	rfs_addr stack[16];
	unsigned n_stack;
	UT_hash_handle hh;
};

/*
 * The block that contains the address, preferably a live one; NULL: none. Borrowed until the next change of the heap.
 */
struct rfs_block *rfs_heap_block(const struct rfs_run *run, rfs_addr address);
/*
 * Size of a block that is about to be freed, at least 1. 0: the block is not known, so the bytes before it have to
 * tell.
 */
uint64_t rfs_heap_known_size(const struct rfs_run *run, rfs_addr block);
/* Frees all blocks. */
void rfs_heap_release(struct rfs_run *run);
/* Copies all blocks, for a copy of the fork server. */
void rfs_heap_copy(const struct rfs_run *from, struct rfs_run *to);

#endif
