/*
 * lockset.h - locksets: the sets of locks that threads hold (Savage et al., Eraser, TOCS 1997). They are interned:
 * equal sets have equal numbers, and a set never changes once it exists.
 *
 * A lock is held exclusively or shared. If two threads hold the same lock, it protects their accesses from each other,
 * unless both hold it shared: two readers do not exclude each other.
 *
 * An address alone does not identify a lock. After memory was freed and reused, another lock may be at the same
 * address, and the old and the new lock do not exclude each other. So each lock has a number.
 */
#ifndef RFS_LOCKSET_H
#define RFS_LOCKSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/operations.h"

typedef uint32_t rfs_lockset;
#define RFS_LOCKSET_EMPTY 0u

struct rfs_locksets;

/* Caller frees with rfs_locksets_free(). */
struct rfs_locksets *rfs_locksets_new(void);
void rfs_locksets_free(struct rfs_locksets *sets);

/* acquire adds one hold of the lock to the thread; release removes one. If the releasing thread does not hold the lock,
 * another thread loses its hold, because some programs unlock a mutex from the wrong thread. */
void rfs_locksets_acquire(struct rfs_locksets *sets, int thread, rfs_addr lock, bool shared);
void rfs_locksets_release(struct rfs_locksets *sets, int thread, rfs_addr lock);

/* Removes all locks in this memory, because it gets a new use. size must not be 0. */
void rfs_locksets_reset(struct rfs_locksets *sets, rfs_addr address, uint64_t size);

/* The set of locks that the thread holds now. */
rfs_lockset rfs_locksets_held(const struct rfs_locksets *sets, int thread);

/* Whether a lock that is in both sets protects two accesses made under a and b from each other. */
bool rfs_locksets_protect(const struct rfs_locksets *sets, rfs_lockset a, rfs_lockset b);

/* Whether a <= b: b contains every lock of a, and exclusively if a does. Then each access that a protects from, b
 * protects from too. */
bool rfs_locksets_within(const struct rfs_locksets *sets, rfs_lockset a, rfs_lockset b);

/* The largest set that is within both a and b: their common locks. A lock is shared in it if it is shared in a or b. */
rfs_lockset rfs_locksets_meet(struct rfs_locksets *sets, rfs_lockset a, rfs_lockset b);

/* How many sets exist; each rfs_lockset is below this number. */
size_t rfs_locksets_count(const struct rfs_locksets *sets);

/* The addresses of the *n locks of the set, in the order in which the locks were first seen. Caller frees. */
rfs_addr *rfs_locksets_addresses(const struct rfs_locksets *sets, rfs_lockset set, size_t *n);

#endif
