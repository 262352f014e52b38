/*
 * last_drops.h - blocks whose last reference a thread has dropped. Each other thread dropped its reference before, so
 * what it did to the block until then happens before what the dropping thread does to the block.
 *
 * That holds for this block only. In another run the other thread may be the last one, and then code that follows the
 * drop is not ordered.
 */
#ifndef RFS_LAST_DROPS_H
#define RFS_LAST_DROPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/core/vclock.h"
#include "policy/policy.h"

struct rfs_last_drops_thread;

/* Zeroed memory has no blocks. rfs_last_drops_release() frees the memory inside. */
struct rfs_last_drops {
	struct rfs_last_drops_thread *threads; /* by number */
	size_t n;
	uint64_t versions; /* of clocks, as far as given out */
};

/* The thread, whose clock this is, has dropped the last reference to a block. The other drops left their clocks in
 * `others`. size > 0. */
void rfs_last_drops_add(struct rfs_last_drops *drops, int thread, rfs_addr address, uint64_t size,
			const struct rfs_vclock *clock, const struct rfs_vclock *others);
/* Whether there is such a block of the thread. */
bool rfs_last_drops_any(const struct rfs_last_drops *drops, int thread);
/* What the thread knows when it makes this access: its clock, or more if the access is to such a block. The result is
 * valid until the next call for this thread. */
const struct rfs_vclock *rfs_last_drops_knows(struct rfs_last_drops *drops, int thread, const struct rfs_access *access,
					      const struct rfs_vclock *clock);
/* Forgets the blocks that overlap this memory. size > 0. */
void rfs_last_drops_reset(struct rfs_last_drops *drops, rfs_addr address, uint64_t size);
void rfs_last_drops_release(struct rfs_last_drops *drops);

#endif
