/*
 * lockset.h - the sets of locks that threads hold (Savage et al., Eraser, TOCS 1997), interned: equal sets have equal
 * numbers, and a set once made never changes.
 *
 * A lock is held exclusively or shared. Two accesses are protected from each other by a lock that both hold, unless
 * both hold it shared: readers exclude no readers.
 *
 * A lock is more than its address: after memory was freed and reused, it may contain another lock at the same place,
 * and accesses under the old one and the new one do not exclude each other. So locks are numbered.
 */
#ifndef RFS_LOCKSET_H
#define RFS_LOCKSET_H

#include "policy/policy.h"

typedef uint32_t rfs_lockset;
#define RFS_LOCKSET_EMPTY 0u

struct rfs_locksets;

/* Caller frees with rfs_locksets_free(). */
struct rfs_locksets *rfs_locksets_new(void);
void rfs_locksets_free(struct rfs_locksets *sets);

/* The thread takes one hold of the lock, or gives one up. If the thread does not hold the lock, another thread loses
 * its hold, because programs also unlock mutexes from the wrong thread. */
void rfs_locksets_acquire(struct rfs_locksets *sets, int thread, rfs_addr lock, bool shared);
void rfs_locksets_release(struct rfs_locksets *sets, int thread, rfs_addr lock);

/* Locks in this memory no longer exist; size > 0. */
void rfs_locksets_reset(struct rfs_locksets *sets, rfs_addr address, uint64_t size);

/* What the thread holds now. */
rfs_lockset rfs_locksets_held(const struct rfs_locksets *sets, int thread);

/* Does a lock in both protect? */
bool rfs_locksets_protect(const struct rfs_locksets *sets, rfs_lockset a, rfs_lockset b);

/* Is a <= b: does b hold every lock of a, at least as strongly? Then all that protects from a protects from b. */
bool rfs_locksets_within(const struct rfs_locksets *sets, rfs_lockset a, rfs_lockset b);

/* The largest set that is within both: the locks in both, held shared if one of the two holds is shared. */
rfs_lockset rfs_locksets_meet(struct rfs_locksets *sets, rfs_lockset a, rfs_lockset b);

/* How many sets there are; each is less than that. */
size_t rfs_locksets_count(const struct rfs_locksets *sets);

/* The addresses of its locks, in the order in which the locks were first seen; *n of them. Caller frees. */
rfs_addr *rfs_locksets_addresses(const struct rfs_locksets *sets, rfs_lockset set, size_t *n);

#endif
