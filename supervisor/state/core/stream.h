/*
 * stream.h - the queue of events and accesses from the tracing thread to the detector's thread.
 *
 * The detector works in a separate thread, if possible on another core than the target. Events and accesses share one
 * queue, so the detector gets them in the order in which they happened. Therefore the result of a run does not depend
 * on how far the detector is behind. A repeated record is left out. Repeated means that an earlier record has the same
 * address and site, with no event and no record of another thread in between.
 *
 * An access is in the queue as an event, or as a record in a block of records. A record has an address and the number
 * of a site; struct rfs_stream_site has what all records of the site share. The queue is bounded: if the detector is
 * far behind, the tracing thread waits for it. If a run is so short that it does not fill the first chunk of the
 * queue, no thread is started.
 */
#ifndef RFS_STREAM_H
#define RFS_STREAM_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "policy/operations.h"

/* What all records of one site have in common. */
struct rfs_stream_site {
	rfs_site site;
	/*
	 * enum rfs_access_flags. If RMW, READ and WRITE are all set, one record means both halves of a
	 * read-modify-write. ALIGNED_MOVE counts only for a record whose address is a multiple of the size, which is
	 * a power of 2.
	 */
	unsigned access;
	uint32_t size; /* in bytes; 0: each record has the size in its member `extra` */
};

struct rfs_stream_record {
	rfs_addr address;
	uint32_t site; /* the number from rfs_stream_site() */
	/* The size in bytes if the site has none; otherwise 0, or rfs_stream_run_extra(). */
	uint32_t extra;
};

/*
 * A record may be a run: several accesses of the site, each at the same distance from the one before it
 * (stream_runs.h). extra then has the number of accesses after the first one, and the distance.
 */
#define RFS_STREAM_RUN_MOST 65536
#define RFS_STREAM_RUN_FAR 32767
static inline uint32_t rfs_stream_run_extra(uint32_t n, int64_t distance)
{
	return (n - 1) << 16 | (n > 1 ? (uint16_t)distance : 0u);
}

struct rfs_address_set;
struct rfs_atomicity_graph;
struct rfs_detector_ops;
struct rfs_fd_call;
struct rfs_stream;
struct rfs_thread_stack;

/*
 * Makes a stream to a detector. state: the detector's state, which only the stream uses until rfs_stream_drain().
 * cores: the cores on which the detector's thread may run; NULL: any core. The caller frees the stream with
 * rfs_stream_free(), which drops entries that were not drained.
 */
struct rfs_stream *rfs_stream_new(const struct rfs_detector_ops *ops, void *state, const cpu_set_t *cores);
void rfs_stream_free(struct rfs_stream *stream);
/* `atomicity` gets everything as well. Call this before the first entry. */
void rfs_stream_predict(struct rfs_stream *stream, struct rfs_atomicity_graph *atomicity);
/* Tells `atomicity` of this call, and nobody else: for the detector, nothing has happened. */
void rfs_stream_descriptor(struct rfs_stream *stream, const struct rfs_fd_call *call);
/* The same of a thread that begins. */
void rfs_stream_stack(struct rfs_stream *stream, const struct rfs_thread_stack *stack);

/* The caller leaves out repeated records itself. Call this before the first record. */
void rfs_stream_filtered(struct rfs_stream *stream);

/* Whether races of this memory are benign from now on: the detector then gets only atomic accesses to it. A new use of
 * the memory (RFS_EVENT_RESET) ends that too. */
void rfs_stream_benign(struct rfs_stream *stream, rfs_addr address, uint64_t size, bool benign);
/*
 * The program has regions of interest: from now on, the detector gets only atomic accesses of threads outside of one.
 * rfs_stream_region(): the thread enters a region (1) or leaves it (-1).
 */
void rfs_stream_has_regions(struct rfs_stream *stream);
void rfs_stream_region(struct rfs_stream *stream, int thread, int change);

/* Asks which sites have accesses. Call this before the first entry. */
void rfs_stream_cover(struct rfs_stream *stream);
/*
 * After rfs_stream_cover(), and valid after a drain: adds the number (rfs_site) of each site that had an access, also
 * of those that were left out. False if the detector was not to know of some accesses. The caller releases the set.
 */
bool rfs_stream_covered(const struct rfs_stream *stream, struct rfs_address_set **sites);

/* Gives the site a number. -ENOSPC if RFS_STREAM_SITES sites have a number already. */
#define RFS_STREAM_SITES (1u << 24)
int rfs_stream_site(struct rfs_stream *stream, const struct rfs_stream_site *site, uint32_t *number)
	__attribute__((warn_unused_result));

/* The site with this number. Borrowed from the stream. */
const struct rfs_stream_site *rfs_stream_numbered(const struct rfs_stream *stream, uint32_t number);

/* Counts the events, and the blocks that follow a block of another thread. If this has not changed, the thread that
 * made the last accesses is still in the same state for the detector. */
uint64_t rfs_stream_changes(const struct rfs_stream *stream);

/* Adds a copy of an event. */
void rfs_stream_event(struct rfs_stream *stream, const struct rfs_event *event);

/*
 * Returns an array for records of the thread. The caller sets *n to the number of records that it has, at least 1. The
 * function sets *n to the number of records that fit. The caller fills the array at once, and then calls
 * rfs_stream_fill() with the number of records that it wrote.
 */
struct rfs_stream_record *rfs_stream_room(struct rfs_stream *stream, int thread, size_t *n);
void rfs_stream_fill(struct rfs_stream *stream, size_t n);
/* Counts a record of the site with this number that the detector need not see. early: from before the second thread. */
void rfs_stream_leave_out(struct rfs_stream *stream, uint32_t number, bool early);
/* Counts n accesses that the detector need not see. early: from before the second thread. */
void rfs_stream_dropped(struct rfs_stream *stream, uint64_t n, bool early);

/*
 * Waits until the detector has processed all entries. The detector's state then belongs to the caller until the next
 * event or block.
 */
void rfs_stream_drain(struct rfs_stream *stream);

/*
 * Valid after a drain: how many accesses the records described (two for a read-modify-write), and the addresses of
 * the atomic accesses (borrowed).
 */
uint64_t rfs_stream_accesses(const struct rfs_stream *stream);
/* Valid after a drain: how many accesses were left out because they came before the second thread. */
uint64_t rfs_stream_early(const struct rfs_stream *stream);
const struct rfs_address_set *rfs_stream_atomics(const struct rfs_stream *stream);

#endif
