/*
 * history.h - the accesses of the past that a future access may race with (hybrid detection).
 *
 * Two accesses race when they are of different threads, overlap in memory, one of them writes, not both are atomic, no
 * happens-before edge orders them, and no lock protects them from each other. The history reports each new access with
 * all that it races with, and forgets an access only where that can lose no pair of sites:
 *
 *   e may be dropped at a byte for n there, a later access, if
 *	n is of the same site, writes if e does, is plain if e is, holds no lock that e does not hold as strongly,
 *	and e happens before n (as in particular when one thread made both).
 *
 *   Proof. Let f be a future access at that byte that races with e. Then f conflicts with n as it does with e; n and f
 *   have no protecting lock, or e and f had it as well; n does not happen before f, or e would, through n; and f is
 *   of another thread than n, or again e would happen before f through n and program order. So n races with f, and
 *   (site of e, site of f) = (site of n, site of f) is reported without e.
 *
 *   In the same way n need not be kept beside e where e stands for n as above and both are of one thread and time (that
 *   thread told nobody anything in between, so who knows of e knows of n); n then races with nobody that e does not
 *   race with, past or future, and is not looked at further.
 *
 * What remains is bounded by the sites, threads and kinds of access of a place, and the locksets that they came with.
 *Where a place is reached under many (one lock of thousands, inside a lock for all), looking through them every time
 *would be quadratic. So accesses of one site, thread, kind and bytes stand together with their core, the locks that all
 *of them held: a later access that the core protects from is protected from each, and an access is looked for only
 *until one races or is ordered, the last ones first, since those before it in its thread are ordered then, too.
 *
 * Memory is looked at in granules of 8 bytes with a mask of their bytes. Whole granules of an access longer than a
 *cache line are kept as bit sets, one a page, so that a large memcpy or free costs as much as the pages it touches.
 */
#ifndef RFS_HISTORY_H
#define RFS_HISTORY_H

#include "policy/lockset.h"
#include "policy/policy.h"
#include "policy/vclock.h"

struct rfs_history_access {
	rfs_site site;
	rfs_addr address;
	uint64_t size;
	uint64_t time; /* of the thread's own clock, > 0 */
	uint32_t thread;
	rfs_lockset locks;
	unsigned access; /* enum rfs_access_flags */
};

/* earlier: its address and size are those of the part that overlaps where it was a long access. Borrowed. */
typedef void rfs_history_race(void *arg, const struct rfs_history_access *earlier,
			      const struct rfs_history_access *later);

struct rfs_history;

/* sets: borrowed until rfs_history_free(). race is called for each race found; it may be called for one pair of sites
 * many times. Caller frees with rfs_history_free(). */
struct rfs_history *rfs_history_new(struct rfs_locksets *sets, rfs_history_race *race, void *arg);
void rfs_history_free(struct rfs_history *history);

/* An access, and what its thread knows of the others; knows has access->time for access->thread. */
void rfs_history_add(struct rfs_history *history, const struct rfs_history_access *access,
		     const struct rfs_vclock *knows);

/* Forgets what was accessed in this memory. */
void rfs_history_reset(struct rfs_history *history, rfs_addr address, uint64_t size);

#endif
