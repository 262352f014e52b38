/*
 * lock_graph.h - predicts deadlocks from one run: which lock a thread acquired while it held which others, and the
 * cycles of these requests (iGoodlock: Joshi, Park, Sen & Naik, PLDI 2009).
 *
 * A cycle is a list of requests of different threads. Each thread wants a lock that the next one holds. The last one
 * wants a lock that the first one holds. A cycle is reported only if all of these hold:
 *
 *   - Each request waits: it is not a try or timed request. Two readers of one lock do not wait for each other.
 *   - No guard: no lock is held by two threads of the cycle, unless both hold it shared.
 *   - No order: no request happens before another one, by program order and messages. The order of a lock's release and
 *     acquisition does not count, because another run may reverse it.
 *
 * If a lock prefers writers, a reader also waits for a writer that already waits. A cycle may go through such a writer:
 * the reader waits for the writer, which waits for a thread that reads.
 *
 * A semaphore counts as a lock if each post came from the thread that had taken it, and no two threads had taken it at
 * the same time. The caller then leaves out its messages (rfs_lock_graph_is_lock()), because they are only the order of
 * a lock.
 *
 * Limits: for each request, the clocks of the first times and of the last one are kept (LOCK_TIMES_MAX). A request that
 * was unordered only in between is missed. Cycles through joins, condition variables, barriers and once are not
 * searched.
 */
#ifndef RFS_LOCK_GRAPH_H
#define RFS_LOCK_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/core/cycle_place.h" /* RFS_CYCLE_PARTS_MAX: no cycle is longer */
#include "policy/operations.h"

enum rfs_lock_how {
	RFS_LOCK_SHARED = 1,
	RFS_LOCK_NEVER_WAITS = 2,     /* a try or timed request: the thread does not wait for ever */
	RFS_LOCK_PREFERS_WRITERS = 4, /* a property of the lock: a reader waits if a writer waits */
	RFS_LOCK_IS_WORD = 8,	      /* a word lock: the site is an atomic instruction, not a call */
};

/* A lock as one thread acquired it. */
struct rfs_lock_request {
	rfs_addr lock;
	uint64_t class; /* a name of the lock that is the same in every run; 0: unknown */
	rfs_site site;	/* where the thread acquired it */
	unsigned how;	/* enum rfs_lock_how */
};

/* One thread of a cycle. held is the lock that the previous thread wants. If held.lock is 0, the previous thread is a
 * reader that waits because this thread, a writer, waits. */
struct rfs_lock_cycle_part {
	int thread;
	struct rfs_lock_request held, wanted;
};

struct rfs_lock_graph;

/* Caller frees with rfs_lock_graph_free(). */
struct rfs_lock_graph *rfs_lock_graph_new(void);
void rfs_lock_graph_free(struct rfs_lock_graph *graph);

/* Whether the class of the lock is known, so that requests of it need not give it again. */
bool rfs_lock_graph_knows(const struct rfs_lock_graph *graph, rfs_addr lock);
/* Call acquire for each acquisition, also if the thread holds the lock already. Each one needs a release. */
void rfs_lock_graph_acquire(struct rfs_lock_graph *graph, int thread, const struct rfs_lock_request *request);
void rfs_lock_graph_release(struct rfs_lock_graph *graph, int thread, rfs_addr lock);

/* Writes up to max locks that the thread holds to out, and returns how many. Their class may be 0. */
size_t rfs_lock_graph_held(const struct rfs_lock_graph *graph, int thread, struct rfs_lock_request *out, size_t max);

/* The thread took a token of the semaphore, or added one. */
void rfs_lock_graph_take(struct rfs_lock_graph *graph, int thread, const struct rfs_lock_request *request);
void rfs_lock_graph_post(struct rfs_lock_graph *graph, int thread, rfs_addr semaphore);
/* Whether the semaphore has been used like a lock so far. */
bool rfs_lock_graph_is_lock(const struct rfs_lock_graph *graph, rfs_addr semaphore);

/* For the events SEND, RECEIVE, FORGET, THREAD and RESET. Others are ignored. */
void rfs_lock_graph_event(struct rfs_lock_graph *graph, const struct rfs_event *event);

/*
 * Calls emit for each cycle, shorter ones first. Of cycles that differ only in their threads, or in locks of one class,
 * the first one is emitted. Returns false if the search was cut short.
 */
typedef void rfs_lock_cycle_emit(void *arg, const struct rfs_lock_cycle_part *parts, size_t n);
bool rfs_lock_graph_cycles(const struct rfs_lock_graph *graph, rfs_lock_cycle_emit *emit, void *arg);

/*
 * Calls emit, with two parts, for each pair of locks that one thread acquired in both orders. No deadlock follows from
 * that, unless another thread does the same.
 */
void rfs_lock_graph_inversions(const struct rfs_lock_graph *graph, rfs_lock_cycle_emit *emit, void *arg);

#endif
