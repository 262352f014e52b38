/* reads_from.c - the last writes of each place of a run, and the pairs that follow from them. */
#include "policy/samplers/reads_from.h"

#include <stdlib.h>
#include <uthash.h>

#include "policy/core/alloc.h"
#include "policy/core/dependence.h"

#define WORD 8

/* A run that uses more places is covered in part: the pairs of later places are not seen. */
#define PLACES_MAX (1u << 16)

struct rfs_rf_place {
	struct rfs_rf_place_key key;
	uint64_t last[WORD]; /* the event that wrote each byte */
	uint64_t writers[RFS_PLACE_EVENTS], readers[RFS_PLACE_EVENTS];
	size_t n_writers, n_readers;
	bool takes[2][RFS_PLACE_EVENTS]; /* of each writer, and of each reader: it acquires a lock */
	UT_hash_handle hh;
};

/* An event of this run. */
struct rfs_rf_event {
	uint64_t key;
	int thread;	/* that executed it first */
	uint64_t first; /* number of the event among all, from 0 */
	bool again;	/* it was executed more than once */
	UT_hash_handle hh;
};

uint64_t rfs_reads_from_event(const struct rfs_op *op)
{
	/* sizes and other flags of an access follow from the statement */
	const unsigned halves = op->access & (RFS_ACCESS_READ | RFS_ACCESS_WRITE | RFS_ACCESS_FREE);
	uint64_t hash = op->site * UINT64_C(0x9e3779b97f4a7c15) + op->kind * UINT64_C(0x94d049bb133111eb) + halves;

	hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	hash ^= hash >> 31;
	return hash ? hash : 1;
}

/* Whether the operation learns something from the last change of its object. */
static bool reads_object(enum rfs_op_kind kind)
{
	switch (kind) {
	case RFS_OP_LOCK:
	case RFS_OP_RDLOCK:
	case RFS_OP_WRLOCK:
	case RFS_OP_TRYLOCK:
	case RFS_OP_COND_WAKE:
	case RFS_OP_COND_SIGNAL:
	case RFS_OP_COND_BROADCAST:
	case RFS_OP_SEM_WAIT:
	case RFS_OP_SEM_TRYWAIT:
	case RFS_OP_SEM_VALUE:
	case RFS_OP_ONCE:
	case RFS_OP_FUTEX_WAIT:
	case RFS_OP_FUTEX_SLEEP:
		return true;
	default:
		return false;
	}
}

/* An operation that acquires a lock, if it does not fail. Two of them never follow each other at one lock. */
static bool takes_lock(enum rfs_op_kind kind)
{
	return kind == RFS_OP_LOCK || kind == RFS_OP_WRLOCK || kind == RFS_OP_COND_WAKE;
}

/* The words of a range of memory. */
static size_t reads_from_split(const struct rfs_touch *touch, bool reads, struct rfs_rf_use *out, size_t room)
{
	const uint64_t most = room * WORD, end = touch->address + (touch->size < most ? touch->size : most);
	size_t n = 0;

	for (uint64_t at = touch->address; at < end && n < room;) {
		const uint64_t word = at & ~(uint64_t)(WORD - 1), from = at - word;
		const uint64_t to = end - word < WORD ? end - word : WORD;

		out[n++] = (struct rfs_rf_use){.place = {word, RFS_SPACE_MEMORY},
					       .bytes = (1u << to) - (1u << from),
					       .reads = reads,
					       .writes = touch->effect == RFS_EFFECT_WRITE};
		at = word + WORD;
	}
	return n;
}

size_t rfs_reads_from_uses(const struct rfs_op *op, struct rfs_rf_use out[RFS_USES_MAX])
{
	struct rfs_touch touches[RFS_TOUCHES_MAX];
	const size_t n_touches = rfs_touches(0, op, touches);
	size_t n = 0;

	for (size_t i = 0; i < n_touches && n < RFS_USES_MAX; i++) {
		const struct rfs_touch *touch = &touches[i];

		if (touch->space == RFS_SPACE_MEMORY)
			n += reads_from_split(touch, touch->effect == RFS_EFFECT_READ || (op->access & RFS_ACCESS_READ),
					      out + n, RFS_USES_MAX - n);
		else if (touch->space == RFS_SPACE_OBJECT && touch->size == 1)
			out[n++] = (struct rfs_rf_use){.place = {touch->address, RFS_SPACE_OBJECT},
						       .bytes = 1,
						       .reads = reads_object(op->kind),
						       .writes = touch->effect != RFS_EFFECT_READ};
	}
	return n;
}

static struct rfs_rf_place *reads_from_find(const struct rfs_reads_from *reads, const struct rfs_rf_place_key *key)
{
	struct rfs_rf_place *place;

	HASH_FIND(hh, reads->places, key, sizeof(*key), place);
	return place;
}

bool rfs_reads_from_finds(const struct rfs_reads_from *reads, const struct rfs_rf_use *use, uint64_t writer)
{
	const struct rfs_rf_place *place = reads_from_find(reads, &use->place);

	if (!place)
		return writer == RFS_INITIALLY;
	for (size_t i = 0; i < WORD; i++)
		if ((use->bytes >> i & 1) && place->last[i] == writer)
			return true;
	return false;
}

/* NULL: there are too many places. */
static struct rfs_rf_place *reads_from_place_of(struct rfs_reads_from *reads, const struct rfs_rf_place_key *key)
{
	struct rfs_rf_place *place = reads_from_find(reads, key);

	if (place || HASH_COUNT(reads->places) >= PLACES_MAX)
		return place;
	place = rfs_policy_zalloc(1, sizeof(*place));
	place->key = *key;
	HASH_ADD(hh, reads->places, key, sizeof(place->key), place);
	return place;
}

static void note_event(uint64_t *list, bool *takes, size_t *n, uint64_t event, bool takes_now)
{
	for (size_t i = 0; i < *n; i++)
		if (list[i] == event)
			return;
	if (*n == RFS_PLACE_EVENTS)
		return;
	takes[*n] = takes_now;
	list[(*n)++] = event;
}

static void note_execution(struct rfs_reads_from *reads, int thread, uint64_t key)
{
	struct rfs_rf_event *event;

	HASH_FIND(hh, reads->events, &key, sizeof(key), event);
	if (event) {
		event->again = true;
		return;
	}
	event = rfs_policy_zalloc(1, sizeof(*event));
	event->key = key;
	event->thread = thread;
	event->first = HASH_COUNT(reads->events);
	HASH_ADD(hh, reads->events, key, sizeof(key), event);
}

void rfs_reads_from_executed(struct rfs_reads_from *reads, int thread, const struct rfs_op *op,
			     rfs_reads_from_pair *pair, void *arg)
{
	struct rfs_rf_use uses[RFS_USES_MAX];
	const size_t n = rfs_reads_from_uses(op, uses);
	const uint64_t event = n ? rfs_reads_from_event(op) : 0;

	if (n)
		note_execution(reads, thread, event);
	for (size_t i = 0; i < n; i++) {
		struct rfs_rf_place *place = reads_from_place_of(reads, &uses[i].place);
		const bool takes = uses[i].place.space == RFS_SPACE_OBJECT && takes_lock(op->kind);

		if (!place)
			continue;
		if (uses[i].reads)
			note_event(place->readers, place->takes[1], &place->n_readers, event, takes);
		if (uses[i].writes)
			note_event(place->writers, place->takes[0], &place->n_writers, event, takes);
		for (size_t byte = 0; byte < WORD && uses[i].reads; byte++)
			if (uses[i].bytes >> byte & 1)
				pair(arg, place->last[byte], event, place->key.address);
		for (size_t byte = 0; byte < WORD && uses[i].writes; byte++)
			if (uses[i].bytes >> byte & 1)
				place->last[byte] = event;
	}
}

/* Whether a thread executed the reader once, and only later the writer, once. */
static bool comes_too_late(const struct rfs_reads_from *reads, uint64_t writer, uint64_t reader)
{
	const struct rfs_rf_event *w, *r;

	HASH_FIND(hh, reads->events, &writer, sizeof(writer), w);
	HASH_FIND(hh, reads->events, &reader, sizeof(reader), r);
	return w && r && !w->again && !r->again && w->thread == r->thread && r->first <= w->first;
}

void rfs_reads_from_possible(const struct rfs_reads_from *reads, rfs_reads_from_pair *pair, void *arg)
{
	for (const struct rfs_rf_place *place = reads->places; place; place = place->hh.next) {
		for (size_t r = 0; r < place->n_readers; r++) {
			if (place->n_writers)
				pair(arg, RFS_INITIALLY, place->readers[r], place->key.address);
			for (size_t w = 0; w < place->n_writers; w++)
				if ((!place->takes[0][w] || !place->takes[1][r]) &&
				    !comes_too_late(reads, place->writers[w], place->readers[r]))
					pair(arg, place->writers[w], place->readers[r], place->key.address);
		}
	}
}

void rfs_reads_from_release(struct rfs_reads_from *reads)
{
	struct rfs_rf_place *place, *next;
	struct rfs_rf_event *event, *next_event;

	HASH_ITER (hh, reads->places, place, next) {
		HASH_DEL(reads->places, place);
		free(place);
	}
	HASH_ITER (hh, reads->events, event, next_event) {
		HASH_DEL(reads->events, event);
		free(event);
	}
}
