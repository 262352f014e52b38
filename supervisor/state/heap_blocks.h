#ifndef RFS_HEAP_BLOCKS_H
#define RFS_HEAP_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "disasm/addr.h"

struct rfs_run;

struct rfs_block {
	rfs_addr address;     /* key */
	uint64_t size, order; /* order: of the allocation, among all */
	uint64_t name;	      /* the same in every run */
	int thread;
	bool freed; /* kept until the memory is used again */
	rfs_addr stack[16];
	unsigned n_stack;
	UT_hash_handle hh;
};

struct rfs_block *rfs_heap_block(const struct rfs_run *run, rfs_addr address);
/* Bytes of a block that is about to be freed: 0, it is not known; what stands before it is looked at, then. */
uint64_t rfs_heap_known_size(const struct rfs_run *run, rfs_addr block);
void rfs_heap_release(struct rfs_run *run);
void rfs_heap_copy(const struct rfs_run *from, struct rfs_run *to);

#endif
