/*
 * stream.h - the way of events and accesses from the thread that traces to the detector.
 *
 * The detector works on a thread of its own, on another core than the target where there is one, while the target goes
 * on. What it is told, and in which order, is what it would be told by direct calls: the two sides share one queue, so
 * a run's result does not depend on how far behind the detector is. Left out is what can tell it nothing: a record that
 * was there before, with no event and no other thread's record since.
 *
 * Accesses come one by one, as events, or as blocks of records, the way that instrumented code writes them: an address
 * and the number of a site, which stands for the rest. The queue is bounded: who tells waits for the detector where it
 * is far behind. A short run never fills the first chunk of it, and starts no thread.
 */
#ifndef RFS_STREAM_H
#define RFS_STREAM_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "policy/policy.h"

/* What the records of one site have in common. */
struct rfs_stream_site {
	rfs_site site;
	/* enum rfs_access_flags. RMW with both READ and WRITE: one record stands for both halves. ALIGNED_MOVE: holds
	 * where the address is a multiple of the size, which is a power of 2. */
	unsigned access;
	uint32_t size; /* bytes; 0: the record's extra says */
};

struct rfs_stream_record {
	rfs_addr address;
	uint32_t site; /* as rfs_stream_site() numbered it */
	uint32_t extra;
};

struct rfs_address_set;
struct rfs_stream;

/* cores: where the detector may run, NULL: anywhere. state: of ops, the stream's until rfs_stream_drain(). Caller frees
 * with rfs_stream_free(), which drops what was not drained. */
struct rfs_stream *rfs_stream_new(const struct rfs_detector_ops *ops, void *state, const cpu_set_t *cores);
void rfs_stream_free(struct rfs_stream *stream);

/* A number for the site. At most RFS_STREAM_SITES of them: -ENOSPC. */
#define RFS_STREAM_SITES (1u << 24)
int rfs_stream_site(struct rfs_stream *stream, const struct rfs_stream_site *site, uint32_t *number)
	__attribute__((warn_unused_result));

/* What has this number. Borrowed from the stream. */
const struct rfs_stream_site *rfs_stream_numbered(const struct rfs_stream *stream, uint32_t number);

/* Copies the event. */
void rfs_stream_event(struct rfs_stream *stream, const struct rfs_event *event);

/* Room for *n records of the thread, one or more, *n at most as it was: to be filled in at once. As many of them as
 * rfs_stream_fill() is told of then are in the queue. */
struct rfs_stream_record *rfs_stream_room(struct rfs_stream *stream, int thread, size_t *n);
void rfs_stream_fill(struct rfs_stream *stream, size_t n);

/* Waits until the detector was told of all. Its state is the caller's from then on, until the next event or block. */
void rfs_stream_drain(struct rfs_stream *stream);

/* Of the blocks so far, drained: how many accesses their records stood for, and the addresses of the atomic ones. */
uint64_t rfs_stream_accesses(const struct rfs_stream *stream);
const struct rfs_address_set *rfs_stream_atomics(const struct rfs_stream *stream);

#endif
