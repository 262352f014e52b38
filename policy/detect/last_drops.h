/*
 * last_drops.h - blocks whose last reference a thread has dropped. All other threads dropped their references before.
 * So what they did to the block until then happens before what the last thread does to it.
 *
 * While the thread destroys the block, it may count down or set a flag elsewhere, because all others are done. So,
 * until the block is freed, its atomic read-modify-writes also publish what it has learnt by its last drops
 * (rfs_last_drops_tell()). For example, a channel has counts of its senders and of its receivers. The last sender and
 * the last receiver each set a flag.
 *
 * This order holds for the block only. In another run, another thread may drop the last reference. Then accesses to
 * other memory after the two drops have no order.
 */
#ifndef RFS_LAST_DROPS_H
#define RFS_LAST_DROPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/core/vclock.h"
#include "policy/operations.h"

struct rfs_access;
struct rfs_last_drops_thread;

/* Zeroed memory has no blocks. rfs_last_drops_release() frees the memory inside. */
struct rfs_last_drops {
	struct rfs_last_drops_thread *threads; /* by number */
	size_t n;
	uint64_t versions; /* how many versions of clocks were given out */
};

/* The thread has dropped the last reference to this block. `clock` is the thread's clock; `others` has the clocks of
 * the other drops. size > 0. */
void rfs_last_drops_add(struct rfs_last_drops *drops, int thread, rfs_addr address, uint64_t size,
			const struct rfs_vclock *clock, const struct rfs_vclock *others);
/* Whether the thread has dropped the last reference to a block that is not forgotten. */
bool rfs_last_drops_any(const struct rfs_last_drops *drops, int thread);
/* Adds to `out` what the thread has learnt by its last drops of blocks that are not forgotten. */
void rfs_last_drops_tell(const struct rfs_last_drops *drops, int thread, struct rfs_vclock *out);
/* What the thread knows when it makes this access: its clock, or more if the access is to such a block. The result is
 * valid until the next call for this thread. */
const struct rfs_vclock *rfs_last_drops_knows(struct rfs_last_drops *drops, int thread, const struct rfs_access *access,
					      const struct rfs_vclock *clock);
/* Forgets the blocks that overlap this memory. size > 0. */
void rfs_last_drops_reset(struct rfs_last_drops *drops, rfs_addr address, uint64_t size);
void rfs_last_drops_release(struct rfs_last_drops *drops);

#endif
