/*
 * history.h - remembers the accesses that a future access may race with.
 *
 * Two accesses race if all of this is true: they are of different threads; they overlap in memory; at least one writes;
 * not both are atomic; happens-before does not order them; and, for hybrid detection, no lock protects them from each
 * other. The history reports with which past accesses each new access races. It forgets an access only if this loses no
 * pair of sites.
 *
 * RFS_HISTORY_HYBRID (O'Callahan & Choi, PPoPP 2003): each pair of sites is reported.
 *
 *   At one byte, an access e may be forgotten because of a later access n if all of this is true:
 *
 *    - n is of the same site as e;
 *    - n writes if e writes, and n is plain if e is plain;
 *    - each lock that n holds, e also holds, and exclusively if n does;
 *    - e happens before n, for example because one thread made both.
 *
 *   Proof. Let f be a future access to that byte that races with e. Then n races with f:
 *
 *    - n and f conflict, because e and f do.
 *    - No lock protects n and f from each other. It would also protect e and f.
 *    - n does not happen before f. Otherwise e would happen before f, through n.
 *    - n and f are of different threads. Otherwise e would happen before f, through n and program order.
 *
 *   So the pair (site of n, site of f) is reported, and it equals (site of e, site of f).
 *
 *   New accesses are filtered too: n need not be stored if e is still stored, takes the place of n by the rules above
 *   (with e and n exchanged), and has the same thread and time. The thread released nothing in between, so another
 *   thread that knows of e also knows of n. Then n races only with accesses, past or future, that e races with. This
 *   filter drops the repeated accesses of a loop.
 *
 *   A thread may know more than its clock at one place only (last_drops.h). Others do not learn this from the thread,
 *   and the thread may forget it. So by this knowledge an access races with fewer earlier ones, but it makes none of
 *   them superfluous. Nor does it make a later access superfluous.
 *
 * RFS_HISTORY_FASTTRACK (Flanagan & Freund, PLDI 2009, section 3): locks do not count, because happens-before contains
 * their order.
 *
 *   Most places need two accesses: the last write and the last read. Unordered reads and racing writes are kept side by
 *   side, at most one for each thread. (The paper has adaptive read clocks; here they are lists of the times that are
 *   not 0.)
 *
 *   A new access n replaces e if e happens before n, n writes if e writes, and n is plain if e is plain. Then each
 *   later access that races with e also races with n. So each access is reported with at least one of the accesses
 *   that it races with, even after a first race at that place. n need not be stored if e has the same thread, time,
 *   site and kind ([READ SAME EPOCH] and [WRITE SAME EPOCH]). If the sites differ, n is stored: it is another pair.
 *
 * RFS_HISTORY_PLACES: finds the places of hybrid detection's races, and no pairs. It is hybrid detection as if all
 * accesses were of one site, so each access that is ordered after an earlier one of its kind replaces it. A place then
 * keeps few accesses, and most places share one state.
 *
 *   By the proof above, a race is reported at a byte if and only if hybrid detection would report one there. The byte's
 *   granule is then a suspect (suspects.h), and nothing more is remembered of it. A granule with too many accesses is a
 *   suspect as well.
 *
 * The accesses left at one place are limited by its sites, threads, kinds of access and locksets. A place may be
 * accessed under many locksets, for example under one of thousands of locks inside one common lock. Searching all of
 * them at each access would take quadratic time. So accesses of one site, thread, kind and bytes are kept together
 * (superseded.h), with their core: the locks that all of them held. If the core protects them from a later access, no
 * search is needed. Otherwise they are searched from the last one back, until one races or is ordered before the new
 * access. All earlier ones are of the same thread, so they are ordered too.
 *
 * The history distinguishes bytes: each granule of 8 bytes has its accesses, with masks of their bytes (shadow.h). An
 * access longer than a cache line is stored as one bit set of whole granules for each page. So the cost of a large
 * memcpy or free grows only with the number of its pages.
 * RFS_HISTORY_PLACES does this only on pages without shorter accesses. At the first shorter access to a page, it makes
 * cells of the bit sets. Most granules are in the same state as their neighbours, so this is fast, and all later
 * accesses are faster.
 *
 * A history may have a limit of memory. Above it, what is known of the places that were not accessed for the longest
 * time is forgotten (forget.c). Then pairs may be missed, but none is invented: no access is ever remembered that did
 * not take place.
 */
#ifndef RFS_HISTORY_H
#define RFS_HISTORY_H

#include <stdbool.h>

#include "policy/core/lockset.h"
#include "policy/core/vclock.h"
#include "policy/detector_memory.h"
#include "policy/operations.h"
#include "policy/shadow/suspects.h"

struct rfs_history_access {
	rfs_site site;
	rfs_addr address;
	uint64_t size;
	uint64_t time; /* the thread's own time at the access, above 0 */
	uint32_t thread;
	rfs_lockset locks;
	unsigned access; /* enum rfs_access_flags */
	/* The earlier one of two accesses: the full order of the run has all accesses like this before the later one.
	 * False if the history is not told of the full order. */
	bool ordered;
};

enum rfs_history_rule { RFS_HISTORY_HYBRID, RFS_HISTORY_FASTTRACK, RFS_HISTORY_PLACES };

/* Reports a race. If `earlier` was a long access, its address and size are those of the overlapping part. Both are
 * borrowed. */
typedef void rfs_history_race(void *arg, const struct rfs_history_access *earlier,
			      const struct rfs_history_access *later);

struct rfs_access;
struct rfs_history;

/* sets is borrowed until rfs_history_free(). race is called for each race found, which may be many times for one pair
 * of sites. Caller frees with rfs_history_free(). */
struct rfs_history *rfs_history_new(struct rfs_locksets *sets, enum rfs_history_rule rule, rfs_history_race *race,
				    void *arg);
void rfs_history_free(struct rfs_history *history);
/* Sets the limit of memory, in bytes; 0: no limit. A history without accesses needs some memory too. */
void rfs_history_limit(struct rfs_history *history, uint64_t bytes);
/* What the history has needed until now. It is a function of the accesses, and does not depend on time or on the
 * allocator. */
struct rfs_detector_memory rfs_history_memory(const struct rfs_history *history);
/* Only accesses to these places will be added; borrowed. So a page with such places counts as used, even if the history
 * knows no access to it. */
void rfs_history_expect(struct rfs_history *history, struct rfs_suspects *places);
/* RFS_HISTORY_PLACES, which never calls race: the granules at which accesses raced. Borrowed. */
const struct rfs_suspects *rfs_history_suspects(const struct rfs_history *history);

/* A thread that accesses memory, at the time of the access. */
struct rfs_history_thread {
	uint32_t number;
	rfs_lockset locks;
	uint64_t time;			/* its own time, above 0 */
	const struct rfs_vclock *knows; /* its vector clock, or more than that if it knows more about this place */
	const struct rfs_vclock *clock; /* its vector clock */
	/* its vector clock in the full order, which the rules do not use; NULL: unknown */
	const struct rfs_vclock *full;
};

/* Adds n accesses that a thread made one after the other. */
void rfs_history_add(struct rfs_history *history, const struct rfs_history_thread *thread,
		     const struct rfs_access *accesses, size_t n);

/* RFS_HISTORY_PLACES: adds n accesses that differ in their address only. Each is `distance` bytes behind the one before
 * it. They are added in any order. */
void rfs_history_add_run(struct rfs_history *history, const struct rfs_history_thread *thread,
			 const struct rfs_access *first, int64_t distance, size_t n);

/* The thread has ended. What it accessed is not forgotten. */
void rfs_history_ended(struct rfs_history *history, uint32_t thread);

/* Forgets all accesses to this memory. */
void rfs_history_reset(struct rfs_history *history, rfs_addr address, uint64_t size);

#endif
