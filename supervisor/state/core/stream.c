/* stream.c - the queue of events and accesses from the tracing thread to the detector's thread. */
#include "supervisor/state/core/stream.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "policy/detect/atomicity.h"
#include "policy/detect/fd_lifetimes.h"
#include "policy/detect/stack_lifetimes.h"
#include "policy/passes.h"
#include "policy/policy.h"
#include "supervisor/base/address_set.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/ranges.h"

/*
 * The queue is a ring of chunks. The tracing thread fills one chunk; the earlier chunks wait for the detector. The
 * detector works on 256 KiB for about half a millisecond, so taking the lock once for each chunk costs almost nothing.
 * 16 chunks are enough that the tracing thread need not wait if the detector is slow for a moment.
 */
#define CHUNK_SIZE (256u << 10)
#define CHUNKS 16
/* How many accesses the detector gets at once. This many accesses fit into the first-level cache. */
#define BATCH 256

/* Shorter runs are sent as single accesses, in batches. */
#define RUN_LEAST 8

/* An entry in a chunk has a header, followed by the event or the records. */
enum entry_kind { ENTRY_EVENT, ENTRY_BLOCK, ENTRY_BENIGN, ENTRY_REGION, ENTRY_DESCRIPTOR, ENTRY_STACK };
struct entry {
	uint32_t kind;
	int32_t thread;
	uint64_t n; /* number of records; REGION: the new depth of the thread; BENIGN: 0 if it ends */
};

struct chunk {
	_Alignas(16) unsigned char bytes[CHUNK_SIZE];
	size_t used;
};

/*
 * Sites are in arrays of this size, which never move. The detector's thread can therefore look up sites while the
 * tracing thread adds new ones.
 */
#define SITES_SHIFT 12
#define SITES_EACH (1u << SITES_SHIFT)

/*
 * A hash table with which the records that a loop repeats are left out. A record is repeated if an earlier record in
 * the same interval has the same address and site. The table takes 1 MiB: a loop over a large block comes back to a
 * byte late, and each record that is left out saves the detector more than a miss of the cache costs.
 */
#define SEEN_SHIFT 16
#define INTERVAL_SHIFT 24 /* as many bits as the number of a site has, see RFS_STREAM_SITES */
struct seen {
	rfs_addr address;
	uint64_t when; /* interval << INTERVAL_SHIFT | site */
};

/* Marks of numbered sites. Only one thread uses them at a time. */
struct marks {
	bool *marked;
	size_t n;
};

struct rfs_stream {
	const struct rfs_detector_ops *ops;
	void *state;
	struct rfs_atomicity_graph *atomicity; /* NULL: it is not asked for */
	cpu_set_t cores;
	bool pinned;   /* the detector's thread runs on `cores` only */
	bool filtered; /* see rfs_stream_filtered() */

	struct rfs_stream_site *sites[RFS_STREAM_SITES >> SITES_SHIFT];
	uint32_t n_sites;

	struct chunk *chunks[CHUNKS];	   /* allocated when first needed */
	struct rfs_stream_record *filling; /* the last result of rfs_stream_room() */
	/* how many chunks were handed to the detector; chunk number filled % CHUNKS is being filled */
	uint64_t filled;
	uint64_t left_out; /* accesses that the caller did not add */
	uint64_t n_early;  /* those from before the second thread */
	bool covers;	   /* rfs_stream_cover() was called; the next two are then used */
	struct marks early;
	uint64_t changes; /* see rfs_stream_changes() */
	int thread_told;  /* of the last block */

	pthread_t thread;
	bool started, alone; /* started: the detector has a thread; alone: no thread could be started, so the caller
				does the detector's work */
	pthread_mutex_t lock;
	pthread_cond_t more,
		less; /* more: signalled when `published` has grown; less: signalled when `done` has grown */
	/* how many chunks the detector may read, and how many it has processed; protected by `lock` */
	uint64_t published, done;
	/* protected by `lock`; closed: the detector's thread ends after the last chunk; dropped: it ends at once */
	bool closed, dropped;

	/* The members below are used by the detector's thread, and by the caller after a drain. */
	uint64_t accesses;
	struct rfs_address_set *atomics;
	struct marks told;			/* if covers: sites of records */
	struct rfs_address_set *told_by_events; /* if covers: sites of accesses that were events */
	bool hid;				/* an access was not sent */
	struct rfs_access batch[BATCH];
	struct seen seen[1u << SEEN_SHIFT];
	uint64_t interval; /* number of the interval; a new one begins at each event and when the thread changes */
	int thread_seen;
	struct rfs_ranges benign;
	bool has_regions;
	uint32_t *depths; /* in how many regions each thread is */
	size_t n_depths;
};

struct rfs_stream *rfs_stream_new(const struct rfs_detector_ops *ops, void *state, const cpu_set_t *cores)
{
	struct rfs_stream *stream = xcalloc(1, sizeof(*stream));

	stream->ops = ops;
	stream->state = state;
	stream->interval = 1;
	stream->thread_seen = stream->thread_told = -1;
	if (cores) {
		stream->cores = *cores;
		stream->pinned = true;
	}
	pthread_mutex_init(&stream->lock, NULL);
	pthread_cond_init(&stream->more, NULL);
	pthread_cond_init(&stream->less, NULL);
	return stream;
}

void rfs_stream_predict(struct rfs_stream *stream, struct rfs_atomicity_graph *atomicity)
{
	stream->atomicity = atomicity;
}

void rfs_stream_filtered(struct rfs_stream *stream)
{
	stream->filtered = true;
}

int rfs_stream_site(struct rfs_stream *stream, const struct rfs_stream_site *site, uint32_t *number)
{
	struct rfs_stream_site **array = &stream->sites[stream->n_sites >> SITES_SHIFT];

	if (stream->n_sites == RFS_STREAM_SITES)
		return -ENOSPC;
	if (!*array)
		*array = xcalloc(SITES_EACH, sizeof(**array));
	(*array)[stream->n_sites & (SITES_EACH - 1)] = *site;
	*number = stream->n_sites++;
	return 0;
}

const struct rfs_stream_site *rfs_stream_numbered(const struct rfs_stream *stream, uint32_t number)
{
	return &stream->sites[number >> SITES_SHIFT][number & (SITES_EACH - 1)];
}

/* ---- which sites had accesses ---- */

static void stream_mark(struct marks *marks, uint32_t number)
{
	if (number >= marks->n) {
		const size_t n = 2 * (size_t)number + 1024;

		marks->marked = xreallocarray(marks->marked, n, sizeof(*marks->marked));
		memset(marks->marked + marks->n, 0, (n - marks->n) * sizeof(*marks->marked));
		marks->n = n;
	}
	marks->marked[number] = true;
}

void rfs_stream_cover(struct rfs_stream *stream)
{
	stream->covers = true;
}

static void add_marked(const struct rfs_stream *stream, const struct marks *marks, struct rfs_address_set **sites)
{
	for (size_t i = 0; i < marks->n && i < stream->n_sites; i++)
		if (marks->marked[i])
			rfs_address_set_add(sites, rfs_stream_numbered(stream, (uint32_t)i)->site);
}

bool rfs_stream_covered(const struct rfs_stream *stream, struct rfs_address_set **sites)
{
	add_marked(stream, &stream->early, sites);
	add_marked(stream, &stream->told, sites);
	rfs_address_set_join(sites, stream->told_by_events);
	return !stream->hid;
}

/* ---- the detector's side ---- */

static void tell_batch(struct rfs_stream *stream, int thread, size_t n)
{
	struct rfs_event event = {.kind = RFS_EVENT_ACCESS, .thread = thread, .op = {RFS_OP_ACCESS, .peer = -1}};

	stream->accesses += n;
	if (stream->atomicity)
		rfs_atomicity_accesses(stream->atomicity, thread, stream->batch, n);
	if (stream->ops->accesses) {
		stream->ops->accesses(stream->state, thread, stream->batch, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		event.op.site = stream->batch[i].site;
		event.op.object = stream->batch[i].address;
		event.op.size = stream->batch[i].size;
		event.op.access = stream->batch[i].access;
		stream->ops->event(stream->state, &event);
	}
}

static bool is_seen(struct rfs_stream *stream, const struct rfs_stream_record *record)
{
	const uint64_t when = stream->interval << INTERVAL_SHIFT | record->site;
	struct seen *seen =
		&stream->seen[(record->address >> 3 ^ (rfs_addr)record->site * 37) & ((1u << SEEN_SHIFT) - 1)];

	if (seen->address == record->address && seen->when == when)
		return true;
	seen->address = record->address;
	seen->when = when;
	return false;
}

static const unsigned halves = RFS_ACCESS_READ | RFS_ACCESS_WRITE | RFS_ACCESS_RMW;

/* Whether the detector is not to know of the access. */
static bool is_hidden(const struct rfs_stream *stream, int thread, rfs_addr address, uint64_t size, unsigned access)
{
	if (access & RFS_ACCESS_ATOMIC)
		return false;
	if (stream->has_regions && ((size_t)thread >= stream->n_depths || !stream->depths[thread]))
		return true;
	return stream->benign.n && rfs_ranges_have(&stream->benign, address, size);
}

static void tell_region(struct rfs_stream *stream, int thread, int change)
{
	const size_t n = (size_t)thread + 1;

	stream->has_regions = true;
	if (thread < 0)
		return;
	if (n > stream->n_depths) {
		stream->depths = xreallocarray(stream->depths, n, sizeof(*stream->depths));
		memset(stream->depths + stream->n_depths, 0, (n - stream->n_depths) * sizeof(*stream->depths));
		stream->n_depths = n;
	}
	/* a thread may leave more regions than it has entered */
	if (change > 0 || stream->depths[thread])
		stream->depths[thread] += (uint32_t)change;
}

/* Whether the detector is to know of the event. */
static bool see_event(struct rfs_stream *stream, const struct rfs_event *event)
{
	if (event->kind == RFS_EVENT_RESET && stream->benign.n)
		rfs_ranges_remove(&stream->benign, event->op.object, event->op.size);
	if (event->kind != RFS_EVENT_ACCESS)
		return true;
	if (is_hidden(stream, event->thread, event->op.object, event->op.size, event->op.access)) {
		stream->hid = true;
		return false;
	}
	if (stream->covers)
		rfs_address_set_add(&stream->told_by_events, event->op.site);
	return true;
}

/* A record that means both halves of a read-modify-write counts as two accesses. */
static size_t accesses_of(unsigned access)
{
	return (access & halves) == halves ? 2 : 1;
}

/* Notes that the detector gets an access of the site with that number. */
static inline void stream_cover(struct rfs_stream *stream, uint32_t number)
{
	if (stream->covers)
		stream_mark(&stream->told, number);
}

/* The accesses of a block that the detector gets next. */
struct told {
	struct rfs_stream *stream;
	int thread;
	size_t n;   /* in stream->batch */
	bool fixed; /* one of them is atomic or a free: no run may overtake it */
};

static void tell_told(struct told *told)
{
	if (told->n > 0)
		tell_batch(told->stream, told->thread, told->n);
	told->n = 0;
	told->fixed = false;
}

/* Adds one access, or both halves of a read-modify-write. */
static inline void stream_add_access(struct told *told, struct rfs_access access)
{
	struct rfs_stream *stream = told->stream;

	if ((access.access & RFS_ACCESS_ALIGNED_MOVE) && (access.size == 0 || (access.address & (access.size - 1))))
		access.access &= ~(unsigned)RFS_ACCESS_ALIGNED_MOVE;
	if (told->n > BATCH - 2)
		tell_told(told);
	if (access.access & RFS_ACCESS_ATOMIC)
		rfs_address_set_add(&stream->atomics, access.address);
	if (access.access & (RFS_ACCESS_ATOMIC | RFS_ACCESS_FREE))
		told->fixed = true;
	if (access.access & RFS_ACCESS_FREE) {
		stream->interval++; /* the thread may know less of this memory now (last_drops.h) */
		rfs_address_set_remove(&stream->atomics, access.address, access.size);
	}
	if ((access.access & halves) == halves) {
		stream->batch[told->n] = access;
		stream->batch[told->n++].access &= ~(unsigned)RFS_ACCESS_WRITE;
		access.access &= ~(unsigned)RFS_ACCESS_READ;
	}
	stream->batch[told->n++] = access;
}

/* Adds one access of the site with that number, unless the detector is not to know of it. */
static inline void tell_access(struct told *told, uint32_t number, struct rfs_access access)
{
	if (is_hidden(told->stream, told->thread, access.address, access.size, access.access)) {
		told->stream->hid = true;
		told->stream->accesses += accesses_of(access.access);
		return;
	}
	stream_cover(told->stream, number);
	stream_add_access(told, access);
}

/* Whether the detector gets all accesses of a run as one. first, last: of the run; if it goes across a whole stack of
 * another thread, this is not noticed. */
static bool stream_is_whole(const struct rfs_stream *stream, int thread, rfs_addr first, rfs_addr last)
{
	return !stream->has_regions && !stream->benign.n && stream->ops->passes && stream->ops->passes->run &&
	       stream->ops == stream->ops->passes->first &&
	       !(stream->atomicity && (rfs_atomicity_matters(stream->atomicity, thread, first) ||
				       rfs_atomicity_matters(stream->atomicity, thread, last)));
}

/* Tells a run of n accesses of the site with that number. */
static void tell_run(struct told *told, uint32_t number, struct rfs_access access, int64_t distance, size_t n)
{
	struct rfs_stream *stream = told->stream;
	const rfs_addr last = access.address + (uint64_t)distance * (n - 1);

	if (n >= RUN_LEAST && !(access.access & RFS_ACCESS_ATOMIC) &&
	    stream_is_whole(stream, told->thread, access.address, last)) {
		if (told->fixed)
			tell_told(told);
		stream_cover(stream, number);
		stream->accesses += n * accesses_of(access.access);
		if (accesses_of(access.access) == 2) {
			access.access &= ~(unsigned)RFS_ACCESS_WRITE;
			stream->ops->passes->run(stream->state, told->thread, &access, distance, n);
			access.access ^= RFS_ACCESS_READ | RFS_ACCESS_WRITE;
		}
		stream->ops->passes->run(stream->state, told->thread, &access, distance, n);
		return;
	}
	for (; n > 0; n--, access.address += (uint64_t)distance)
		tell_access(told, number, access);
}

static void tell_block(struct rfs_stream *stream, int thread, const struct rfs_stream_record *records, size_t n)
{
	struct told told = {.stream = stream, .thread = thread};

	if (thread != stream->thread_seen) {
		stream->thread_seen = thread;
		stream->interval++;
	}
	for (size_t i = 0; i < n; i++) {
		const struct rfs_stream_record *record = &records[i];
		const struct rfs_stream_site *site = rfs_stream_numbered(stream, record->site);
		const struct rfs_access access = {.site = site->site,
						  .address = record->address,
						  .size = site->size ? site->size : record->extra,
						  .access = site->access};

		if (site->size && record->extra)
			tell_run(&told, record->site, access, (int16_t)record->extra, (record->extra >> 16) + 1);
		else if (!stream->filtered && site->size && !(access.access & RFS_ACCESS_ATOMIC) &&
			 is_seen(stream, record))
			stream->accesses += accesses_of(access.access);
		else
			tell_access(&told, record->site, access);
	}
	tell_told(&told);
}

static void tell_event(struct rfs_stream *stream, const struct rfs_event *event)
{
	stream->ops->event(stream->state, event);
	if (stream->atomicity)
		rfs_atomicity_event(stream->atomicity, event);
}

static void tell_chunk(struct rfs_stream *stream, const struct chunk *chunk)
{
	for (size_t at = 0; at < chunk->used;) {
		const struct entry *entry = (const struct entry *)&chunk->bytes[at];
		const void *body = &chunk->bytes[at + sizeof(*entry)];

		at += sizeof(*entry);
		if (entry->kind == ENTRY_EVENT) {
			stream->interval++;
			if (see_event(stream, body))
				tell_event(stream, body);
			at += sizeof(struct rfs_event);
		} else if (entry->kind == ENTRY_BENIGN) {
			const struct rfs_range *range = body;

			stream->interval++;
			if (entry->n)
				rfs_ranges_add(&stream->benign, range->start, range->end - range->start);
			else
				rfs_ranges_remove(&stream->benign, range->start, range->end - range->start);
			at += sizeof(*range);
		} else if (entry->kind == ENTRY_REGION) {
			stream->interval++;
			tell_region(stream, entry->thread, (int)entry->n);
		} else if (entry->kind == ENTRY_DESCRIPTOR) {
			rfs_atomicity_fd_call(stream->atomicity, body);
			at += sizeof(struct rfs_fd_call);
		} else if (entry->kind == ENTRY_STACK) {
			rfs_atomicity_stack(stream->atomicity, body);
			at += sizeof(struct rfs_thread_stack);
		} else {
			tell_block(stream, entry->thread, body, entry->n);
			at += entry->n * sizeof(struct rfs_stream_record);
		}
		at = (at + 15) & ~(size_t)15;
	}
}

static void *detect(void *arg)
{
	struct rfs_stream *stream = arg;

	if (stream->pinned) /* if this fails, the thread runs on any core */
		(void)!pthread_setaffinity_np(pthread_self(), sizeof(stream->cores), &stream->cores);
	pthread_mutex_lock(&stream->lock);
	for (;;) {
		while (stream->done == stream->published && !stream->closed)
			pthread_cond_wait(&stream->more, &stream->lock);
		if (stream->done == stream->published || stream->dropped)
			break;
		pthread_mutex_unlock(&stream->lock);
		/* only this thread writes `done`, so this thread can read it without the lock */
		tell_chunk(stream, stream->chunks[stream->done % CHUNKS]);
		pthread_mutex_lock(&stream->lock);
		stream->done++;
		pthread_cond_signal(&stream->less);
	}
	pthread_mutex_unlock(&stream->lock);
	return NULL;
}

/* ---- the tracing thread's side ---- */

/* Starts the detector's thread. The new thread blocks all signals, because the tracing thread handles them. */
static void stream_start(struct rfs_stream *stream)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	stream->started = pthread_create(&stream->thread, NULL, detect, stream) == 0;
	stream->alone = !stream->started;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static struct chunk *current(struct rfs_stream *stream)
{
	struct chunk **chunk = &stream->chunks[stream->filled % CHUNKS];

	if (!*chunk)
		*chunk = xcalloc(1, sizeof(**chunk));
	return *chunk;
}

/* Hands over the current chunk and waits until the next one is free. */
static void stream_publish(struct rfs_stream *stream)
{
	if (!stream->started && !stream->alone)
		stream_start(stream);
	if (stream->alone) {
		tell_chunk(stream, current(stream));
		current(stream)->used = 0;
		return;
	}
	pthread_mutex_lock(&stream->lock);
	stream->published = ++stream->filled;
	pthread_cond_signal(&stream->more);
	while (stream->filled - stream->done >= CHUNKS)
		pthread_cond_wait(&stream->less, &stream->lock);
	pthread_mutex_unlock(&stream->lock);
	current(stream)->used = 0;
}

/* Adds an entry with a body of this size, at most CHUNK_SIZE - 16. Returns where the caller writes the body. */
static void *stream_append(struct rfs_stream *stream, struct entry entry, size_t size)
{
	size_t whole = (sizeof(entry) + size + 15) & ~(size_t)15;
	struct chunk *chunk = current(stream);
	unsigned char *at;

	if (chunk->used + whole > CHUNK_SIZE) {
		stream_publish(stream);
		chunk = current(stream);
	}
	at = &chunk->bytes[chunk->used];
	memcpy(at, &entry, sizeof(entry));
	chunk->used += whole;
	return at + sizeof(entry);
}

uint64_t rfs_stream_changes(const struct rfs_stream *stream)
{
	return stream->changes;
}

void rfs_stream_event(struct rfs_stream *stream, const struct rfs_event *event)
{
	stream->changes++;
	memcpy(stream_append(stream, (struct entry){.kind = ENTRY_EVENT}, sizeof(*event)), event, sizeof(*event));
}

void rfs_stream_benign(struct rfs_stream *stream, rfs_addr address, uint64_t size, bool benign)
{
	const struct rfs_range range = {address, size > UINT64_MAX - address ? UINT64_MAX : address + size};
	const struct entry entry = {.kind = ENTRY_BENIGN, .n = benign};

	stream->changes++;
	memcpy(stream_append(stream, entry, sizeof(range)), &range, sizeof(range));
}

void rfs_stream_region(struct rfs_stream *stream, int thread, int change)
{
	stream->changes++;
	(void)stream_append(stream, (struct entry){ENTRY_REGION, thread, (uint64_t)change}, 0);
}

void rfs_stream_descriptor(struct rfs_stream *stream, const struct rfs_fd_call *call)
{
	if (stream->atomicity)
		memcpy(stream_append(stream, (struct entry){.kind = ENTRY_DESCRIPTOR}, sizeof(*call)), call,
		       sizeof(*call));
}

void rfs_stream_stack(struct rfs_stream *stream, const struct rfs_thread_stack *stack)
{
	if (stream->atomicity)
		memcpy(stream_append(stream, (struct entry){.kind = ENTRY_STACK}, sizeof(*stack)), stack,
		       sizeof(*stack));
}

void rfs_stream_has_regions(struct rfs_stream *stream)
{
	rfs_stream_region(stream, -1, 0);
}

/*
 * If at least this many records fit into the rest of the chunk, the block is put there and has at most as many records
 * as fit. Otherwise the block begins the next chunk.
 */
#define LEAST_RECORDS 64

struct rfs_stream_record *rfs_stream_room(struct rfs_stream *stream, int thread, size_t *n)
{
	const size_t size = sizeof(struct rfs_stream_record);
	size_t left = (CHUNK_SIZE - current(stream)->used) / size;

	stream->changes += thread != stream->thread_told;
	stream->thread_told = thread;
	if (left < LEAST_RECORDS + 1)
		left = CHUNK_SIZE / size; /* in the next chunk */
	if (*n > left - 1)
		*n = left - 1;
	stream->filling = stream_append(stream, (struct entry){ENTRY_BLOCK, thread, *n}, *n * size);
	return stream->filling;
}

void rfs_stream_fill(struct rfs_stream *stream, size_t n)
{
	struct entry *entry = (struct entry *)stream->filling - 1;

	current(stream)->used -= (entry->n - n) * sizeof(*stream->filling);
	entry->n = n;
}

void rfs_stream_leave_out(struct rfs_stream *stream, uint32_t number, bool early)
{
	rfs_stream_dropped(stream, accesses_of(rfs_stream_numbered(stream, number)->access), early);
	if (stream->covers)
		stream_mark(&stream->early, number);
}

void rfs_stream_dropped(struct rfs_stream *stream, uint64_t n, bool early)
{
	if (early)
		stream->n_early += n;
	else
		stream->left_out += n;
}

void rfs_stream_drain(struct rfs_stream *stream)
{
	if (!stream->started) {
		tell_chunk(stream, current(stream));
		current(stream)->used = 0;
		return;
	}
	stream_publish(stream);
	pthread_mutex_lock(&stream->lock);
	while (stream->done < stream->published)
		pthread_cond_wait(&stream->less, &stream->lock);
	pthread_mutex_unlock(&stream->lock);
}

uint64_t rfs_stream_accesses(const struct rfs_stream *stream)
{
	return stream->accesses + stream->left_out;
}

uint64_t rfs_stream_early(const struct rfs_stream *stream)
{
	return stream->n_early;
}

const struct rfs_address_set *rfs_stream_atomics(const struct rfs_stream *stream)
{
	return stream->atomics;
}

void rfs_stream_free(struct rfs_stream *stream)
{
	if (!stream)
		return;
	if (stream->started) {
		pthread_mutex_lock(&stream->lock);
		stream->closed = stream->dropped = true;
		pthread_cond_signal(&stream->more);
		pthread_mutex_unlock(&stream->lock);
		pthread_join(stream->thread, NULL);
	}
	rfs_ranges_release(&stream->benign);
	free(stream->depths);
	rfs_address_set_release(&stream->atomics);
	rfs_address_set_release(&stream->told_by_events);
	free(stream->told.marked);
	free(stream->early.marked);
	for (size_t i = 0; i < CHUNKS; i++)
		free(stream->chunks[i]);
	for (size_t i = 0; i < sizeof(stream->sites) / sizeof(*stream->sites); i++)
		free(stream->sites[i]);
	pthread_cond_destroy(&stream->more);
	pthread_cond_destroy(&stream->less);
	pthread_mutex_destroy(&stream->lock);
	free(stream);
}
