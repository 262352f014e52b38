/* bad_block.h - the block of the guard heap (--guard-heap) at which a thread got SIGSEGV. */
#ifndef RFS_BAD_BLOCK_H
#define RFS_BAD_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/symbols/place.h"

/* Zeroed: there is none. */
struct rfs_bad_block {
	bool found;
	bool freed; /* it had been freed; otherwise the access was behind its end */
	uint64_t size;
	struct rfs_place at[2]; /* where it was allocated, and freed; no module: not known */
};

/* Frees what it points to, and zeroes it. */
void rfs_bad_block_release(struct rfs_bad_block *block);

#endif
