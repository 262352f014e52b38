/*
 * events.h - short forms of detector events for tables, and the pairs that a detector reports for a list of events. The
 * first argument of each form is the thread.
 */
#ifndef RFS_TESTS_POLICY_EVENTS_H
#define RFS_TESTS_POLICY_EVENTS_H

#include "policy/policy.h"

struct rfs_event events_access(int thread, unsigned flags, rfs_addr where, uint64_t size, rfs_site site);
struct rfs_event events_object(enum rfs_event_kind event, int thread, enum rfs_op_kind kind, rfs_addr object,
			       uint64_t size);
struct rfs_event events_message(enum rfs_event_kind event, int thread, uint64_t message);
struct rfs_event events_thread(int thread, int creator);
struct rfs_event events_last(int thread, rfs_addr object, uint64_t size, rfs_addr count);

#define ACCESS(t, flags, where, bytes, s) events_access(t, flags, where, bytes, s)
#define LOCK(t, lock) events_object(RFS_EVENT_ACQUIRE, t, RFS_OP_LOCK, lock, 8)
#define RDLOCK(t, lock) events_object(RFS_EVENT_ACQUIRE, t, RFS_OP_RDLOCK, lock, 8)
#define UNLOCK(t, lock) events_object(RFS_EVENT_RELEASE, t, RFS_OP_UNLOCK, lock, 8)
#define RESET(t, where, bytes) events_object(RFS_EVENT_RESET, t, RFS_OP_NONE, where, bytes)
#define LAST(t, where, bytes, count) events_last(t, where, bytes, count)
#define EXIT(t) events_object(RFS_EVENT_OP, t, RFS_OP_EXIT, 0, 8)
#define SEND(t, m) events_message(RFS_EVENT_SEND, t, m)
#define RECEIVE(t, m) events_message(RFS_EVENT_RECEIVE, t, m)
#define THREAD(t, creator) events_thread(t, creator)
/* Ends a list of events: detectors get nothing for it. */
#define END events_object(RFS_EVENT_OP, 0, RFS_OP_NONE, 0, 0)

struct rfs_rng;

#define EVENTS_LOCKS 100000 /* the first address of a lock of random events */

/*
 * A random event, valid or not. Ranges have all sizes and lie around two places. Sites are few, so that the detector
 * drops many accesses. With `drops`, last references are dropped, too.
 */
struct rfs_event events_random(struct rfs_rng *rng, unsigned n_threads, bool drops);
/* A random event: a thread accesses or frees a block, counts its references down, drops the last one, or sends or
 * receives one of two messages. */
struct rfs_event events_drop(struct rfs_rng *rng, unsigned n_threads);

#define EVENTS_PAIRS 4096

/*
 * The reported pairs. Their members `locks` are dangling pointers after the detector's end; use low_lock and high_lock.
 */
struct pairs {
	size_t n;
	struct rfs_race_access low[EVENTS_PAIRS], high[EVENTS_PAIRS];
	rfs_addr low_lock[EVENTS_PAIRS], high_lock[EVENTS_PAIRS]; /* each access's first lock, 0: none */
};

/* Adds one pair to arg, a struct pairs. Asserts that there is room and that the smaller site comes first. */
void pairs_take(void *arg, const struct rfs_race_access *low, const struct rfs_race_access *high);
/* Whether the pair (a, b) or (b, a) was reported. */
bool pairs_have(const struct pairs *pairs, rfs_site a, rfs_site b);
/* Gives these events to a new instance of the detector. *out: the pairs that it reports. */
void pairs_detect(const struct rfs_detector_ops *detector, const struct rfs_event *events, size_t n, struct pairs *out);

#endif
