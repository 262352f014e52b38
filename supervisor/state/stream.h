/*
 * stream.h - the queue of events and accesses from the tracing thread to the detector's thread.
 *
 * The detector works in a separate thread, if possible on another core than the target, while the target continues. It
 * gets the same calls in the same order as if it were called directly, because both kinds of entries share one queue.
 * So a run's result does not depend on how late the detector is. Left out are records that tell it nothing: those that
 * were there before, with no event and no other thread's record since.
 *
 * Accesses come one by one as events, or as blocks of records in the format that stubs write. A record has an address
 * and the number of a site, which stands for the rest. The queue is bounded: if the detector is far behind, the tracing
 * thread waits for it. A short run does not fill the first chunk, and starts no thread.
 */
#ifndef RFS_STREAM_H
#define RFS_STREAM_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "policy/policy.h"

/* What all records of one site have in common. */
struct rfs_stream_site {
	rfs_site site;
	/*
	 * enum rfs_access_flags. RMW with both READ and WRITE: one record stands for both halves. ALIGNED_MOVE: holds
	 * if the address is a multiple of the size, which is a power of 2.
	 */
	unsigned access;
	uint32_t size; /* bytes; 0: in the record's extra */
};

struct rfs_stream_record {
	rfs_addr address;
	uint32_t site; /* the number from rfs_stream_site() */
	uint32_t extra;
};

struct rfs_address_set;
struct rfs_stream;

/*
 * Makes a stream. cores: where the detector may run; NULL: anywhere. state: the detector's; belongs to the stream until
 * rfs_stream_drain(). The caller frees the stream with rfs_stream_free(), which drops what was not drained.
 */
struct rfs_stream *rfs_stream_new(const struct rfs_detector_ops *ops, void *state, const cpu_set_t *cores);
void rfs_stream_free(struct rfs_stream *stream);

/* Gives the site a number. -ENOSPC if there are RFS_STREAM_SITES of them already. */
#define RFS_STREAM_SITES (1u << 24)
int rfs_stream_site(struct rfs_stream *stream, const struct rfs_stream_site *site, uint32_t *number)
	__attribute__((warn_unused_result));

/* The site with this number. Borrowed from the stream. */
const struct rfs_stream_site *rfs_stream_numbered(const struct rfs_stream *stream, uint32_t number);

/* Adds an event. Copies it. */
void rfs_stream_event(struct rfs_stream *stream, const struct rfs_event *event);

/*
 * Returns room for records of the thread, to be filled at once. *n: how many are wanted, at least one; then how many
 * there is room for. rfs_stream_fill() says how many of them are to be in the queue.
 */
struct rfs_stream_record *rfs_stream_room(struct rfs_stream *stream, int thread, size_t *n);
void rfs_stream_fill(struct rfs_stream *stream, size_t n);

/*
 * Waits until the detector has processed everything. Its state then belongs to the caller, until the next event or
 * block.
 */
void rfs_stream_drain(struct rfs_stream *stream);

/*
 * After a drain: how many accesses the records of all blocks stood for, and the addresses of the atomic ones
 * (borrowed).
 */
uint64_t rfs_stream_accesses(const struct rfs_stream *stream);
const struct rfs_address_set *rfs_stream_atomics(const struct rfs_stream *stream);

#endif
