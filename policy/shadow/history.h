/*
 * history.h - the accesses of the past that a future access may race with.
 *
 * Two accesses race if all of this is true: they are of different threads; they overlap in memory; one of them writes;
 *not both are atomic; happens-before does not order them; and, for hybrid detection, no lock protects them from each
 *other. The history reports the accesses with which each new access races. It forgets an access only if no pair of
 *sites can be lost.
 *
 * RFS_HISTORY_HYBRID (O'Callahan & Choi, PPoPP 2003): each pair of sites is reported.
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
 *   In the same way, n need not be kept beside e if e covers n as above and both are of one thread and time. (That
 *   thread released nothing in between, so a thread that knows of e knows of n.) Then n races only with accesses that
 *   e races with, past or future, and is dropped. This is the filter for the repeated accesses of a loop.
 *
 * RFS_HISTORY_FASTTRACK (Flanagan & Freund, PLDI 2009, section 3): locks do not count, since their order is part of
 * happens-before. A place mostly needs two accesses, the last write and the last read; unordered reads and racing
 * writes are kept side by side, at most one for each thread (the paper's adaptive read clocks, here as a list of the
 * times that are not 0). e is replaced by a new access n that it happens before, if n writes when e does and is plain
 * when e is: whatever races with e later races with n. So each access is reported with at least one of those that it
 * races with, also after a first race at that place. n is superfluous beside e of the same thread, time, site and kind
 * ([READ SAME EPOCH] and [WRITE SAME EPOCH]; another site would be another pair).
 *
 * What remains is bounded by the sites, threads and kinds of access of a place, and the locksets that they came with.
 * If a place is reached under many locksets (one lock of thousands, inside a lock for all), searching all of them each
 * time would be quadratic. So accesses of one site, thread, kind and bytes are kept together with their core, the locks
 * that all of them held. If the core protects them from a later access, no search is needed. Otherwise they are
 * searched, the last ones first, only until one races or is ordered: those before it in its thread are then ordered,
 * too.
 *
 * Bytes are distinguished: each granule of 8 has its accesses with a mask of their bytes (shadow.h). Whole granules of
 * an access longer than a cache line are kept as bit sets, one a page, so that a large memcpy or free costs as much as
 * the pages it touches.
 */
#ifndef RFS_HISTORY_H
#define RFS_HISTORY_H

#include "policy/core/lockset.h"
#include "policy/core/vclock.h"
#include "policy/policy.h"

struct rfs_history_access {
	rfs_site site;
	rfs_addr address;
	uint64_t size;
	uint64_t time; /* of the thread's own clock, > 0 */
	uint32_t thread;
	rfs_lockset locks;
	unsigned access; /* enum rfs_access_flags */
};

enum rfs_history_rule { RFS_HISTORY_HYBRID, RFS_HISTORY_FASTTRACK };

/* earlier: if it was a long access, its address and size are those of the overlapping part. Borrowed. */
typedef void rfs_history_race(void *arg, const struct rfs_history_access *earlier,
			      const struct rfs_history_access *later);

struct rfs_history;

/* sets: borrowed until rfs_history_free(). race is called for each race found; it may be called for one pair of sites
 * many times. Caller frees with rfs_history_free(). */
struct rfs_history *rfs_history_new(struct rfs_locksets *sets, enum rfs_history_rule rule, rfs_history_race *race,
				    void *arg);
void rfs_history_free(struct rfs_history *history);

/* A thread that accesses memory. */
struct rfs_history_thread {
	uint32_t number;
	rfs_lockset locks;
	uint64_t time;			/* on its own clock, > 0 */
	const struct rfs_vclock *knows; /* its clock for the other threads */
};

/* Accesses that a thread made one after the other. */
void rfs_history_add(struct rfs_history *history, const struct rfs_history_thread *thread,
		     const struct rfs_access *accesses, size_t n);

/* Forgets all accesses to this memory. */
void rfs_history_reset(struct rfs_history *history, rfs_addr address, uint64_t size);

#endif
