/*
 * full_order.h - happens-before as it was in this run: messages, and the order of locks and of atomic accesses too
 * (Flanagan & Freund, FastTrack, PLDI 2009).
 *
 * It is program order; messages; from the release of a lock to later acquisitions of it; from the release of a shared
 * hold only to exclusive ones; and from an atomic write to a later atomic read of the same address, if no store of a
 * third thread came between.
 */
#ifndef RFS_FULL_ORDER_H
#define RFS_FULL_ORDER_H

#include "policy/core/hb.h"
#include "policy/detect/sync_words.h"

struct rfs_access;
struct rfs_event;
struct rfs_locksets;

/* Zeroed memory is the order of a run without threads. rfs_full_order_release() frees the memory inside. */
struct rfs_full_order {
	struct rfs_hb hb;
	struct rfs_sync_words words; /* locks and atomic words */
};

/* For all events but RFS_EVENT_ACCESS. locksets: what threads hold before the event. */
void rfs_full_order_event(struct rfs_full_order *order, struct rfs_locksets *locksets, const struct rfs_event *event);

/*
 * For an atomic access. An atomic read acquires from the word: call the first function before the access is compared
 * with earlier ones. A write releases to the word: call the second one afterwards. A read-modify-write adds its clock
 * to what is there, because it continues the release sequence of the last store. A store puts its clock in place of
 * what is there: its readers learn nothing of earlier stores.
 */
struct rfs_sync_word *rfs_full_order_before(struct rfs_full_order *order, int thread, const struct rfs_access *access);
void rfs_full_order_after(struct rfs_full_order *order, int thread, unsigned access, struct rfs_sync_word *word);

void rfs_full_order_release(struct rfs_full_order *order);

#endif
