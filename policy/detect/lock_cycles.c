/*
 * lock_cycles.c - searches the recorded requests for cycles.
 *
 * Most locks are in no cycle. So two kinds of locks are removed first: those that no thread wants while it holds
 * another one, and those that no thread holds while it wants another one. This is repeated until no lock can be removed
 * (MagicFuzzer: Cai & Chan, ICSE 2012). The remaining locks are searched as in iGoodlock: chains of requests are made
 * longer until they close, shorter chains first. A chain begins with its oldest request, so each cycle is found once.
 */
#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"
#include "policy/detect/lock_graph-priv.h"
#include "policy/detect/lock_graph.h"

/* The search ends after it has tried this many requests to make a chain longer: about a second. */
#define LOOKS_MAX 20000000
/* More cycles than this would not help the user. */
#define CYCLES_MAX 256

/* The requests that hold a lock, or that want it. */
struct uses {
	uint32_t *list; /* indices of requests, ascending */
	size_t n, capacity;
};

struct search {
	const struct rfs_lock_graph *graph;
	bool *alive;			/* by lock: may be in a cycle */
	struct uses *holders, *wanters; /* by lock */
	uint32_t chain[RFS_CYCLE_PARTS_MAX];
	size_t n, length; /* how long the chain is, and how long it must become */
	bool was_so_long; /* a chain became that long */
	uint64_t looks;
	uint64_t seen[CYCLES_MAX]; /* names of the cycles so far */
	size_t n_seen;
	rfs_lock_cycle_emit *emit;
	void *arg;
};

static const struct graph_request_key *lock_cycles_key_of(const struct search *s, uint32_t request)
{
	return s->graph->requests[request]->key;
}

static bool is_ignored(const struct search *s, const struct graph_hold *hold)
{
	return s->graph->locks[hold->lock].is_used_otherwise;
}

static const struct graph_hold *held_as(const struct graph_request_key *key, uint32_t lock)
{
	for (uint32_t i = 0; i < key->n_held; i++)
		if (key->held[i].lock == lock)
			return &key->held[i];
	return NULL;
}

/* ---- two requests ---- */

static bool lock_cycles_is_shared(const struct graph_hold *hold)
{
	return hold->how & RFS_LOCK_SHARED;
}

/* The hold of b for which a waits, or NULL. */
static const struct graph_hold *blocks(const struct graph_request_key *a, const struct graph_request_key *b)
{
	const struct graph_hold *held = held_as(b, a->wanted.lock);

	return held && !(lock_cycles_is_shared(held) && lock_cycles_is_shared(&a->wanted)) ? held : NULL;
}

/* Whether a is a reader that waits because b, a writer, waits for the same lock. */
static bool queues_behind(const struct graph_request_key *a, const struct graph_request_key *b)
{
	return a->wanted.lock == b->wanted.lock && (a->wanted.how & RFS_LOCK_PREFERS_WRITERS) &&
	       lock_cycles_is_shared(&a->wanted) && !lock_cycles_is_shared(&b->wanted);
}

/* Whether both hold a lock that keeps the two threads from being at their requests at the same time. */
static bool is_guarded(const struct search *s, const struct graph_request_key *a, const struct graph_request_key *b)
{
	for (uint32_t i = 0; i < a->n_held; i++) {
		const struct graph_hold *other = held_as(b, a->held[i].lock);

		if (other && !(lock_cycles_is_shared(other) && lock_cycles_is_shared(&a->held[i])) &&
		    !is_ignored(s, other))
			return true;
	}
	return false;
}

static bool is_unordered(const struct graph_request *a, const struct graph_request *b)
{
	for (size_t i = 0; i < a->n_times; i++)
		for (size_t k = 0; k < b->n_times; k++)
			if (a->times[i].own > rfs_vclock_get(&b->times[k].knows, a->key->thread) &&
			    b->times[k].own > rfs_vclock_get(&a->times[i].knows, b->key->thread))
				return true;
	return false;
}

/* Whether the threads of both requests can be at them at the same time. */
static bool can_meet(const struct search *s, uint32_t a, uint32_t b)
{
	return lock_cycles_key_of(s, a)->thread != lock_cycles_key_of(s, b)->thread &&
	       !is_guarded(s, lock_cycles_key_of(s, a), lock_cycles_key_of(s, b)) &&
	       is_unordered(s->graph->requests[a], s->graph->requests[b]);
}

/* ---- which locks may be in a cycle ---- */

/* Whether the request makes an edge from its held lock number i to the wanted lock: neither is ignored. */
static bool is_edge(const struct search *s, const struct graph_request_key *key, uint32_t i)
{
	return !is_ignored(s, &key->held[i]) && !is_ignored(s, &key->wanted);
}

static void lock_cycles_add_use(struct uses *uses, uint32_t request)
{
	uses->list = rfs_policy_grow(uses->list, &uses->capacity, uses->n + 1, sizeof(*uses->list));
	uses->list[uses->n++] = request;
}

static void index_requests(struct search *s)
{
	for (uint32_t r = 0; r < s->graph->n_requests; r++) {
		const struct graph_request_key *key = lock_cycles_key_of(s, r);

		for (uint32_t i = 0; i < key->n_held; i++)
			if (is_edge(s, key, i))
				lock_cycles_add_use(&s->holders[key->held[i].lock], r);
		if (!is_ignored(s, &key->wanted))
			lock_cycles_add_use(&s->wanters[key->wanted.lock], r);
	}
}

/* Of each lock: how many edges begin at it (held) and end at it (wanted), and the locks that are to be removed. */
struct pruning {
	size_t *held, *wanted;
	uint32_t *removed;
	size_t n_removed;
};

static void drop_edge(const struct search *s, struct pruning *p, size_t *edges, uint32_t lock)
{
	if (!s->alive[lock] || --edges[lock])
		return;
	s->alive[lock] = false;
	p->removed[p->n_removed++] = lock;
}

/* Removes all edges of a lock. Other locks may then have no edges, and be removed too. */
static void remove_lock(const struct search *s, struct pruning *p, uint32_t lock)
{
	const struct uses *wanters = &s->wanters[lock], *holders = &s->holders[lock];

	for (size_t i = 0; i < wanters->n; i++) {
		const struct graph_request_key *key = lock_cycles_key_of(s, wanters->list[i]);

		for (uint32_t k = 0; k < key->n_held; k++)
			if (is_edge(s, key, k))
				drop_edge(s, p, p->held, key->held[k].lock);
	}
	for (size_t i = 0; i < holders->n; i++)
		drop_edge(s, p, p->wanted, lock_cycles_key_of(s, holders->list[i])->wanted.lock);
}

static void lock_cycles_prune(const struct search *s)
{
	const size_t n = s->graph->n_locks;
	struct pruning p = {
		.held = rfs_policy_zalloc(n, sizeof(*p.held)),
		.wanted = rfs_policy_zalloc(n, sizeof(*p.wanted)),
		.removed = rfs_policy_zalloc(n, sizeof(*p.removed)),
	};

	for (uint32_t r = 0; r < s->graph->n_requests; r++) {
		const struct graph_request_key *key = lock_cycles_key_of(s, r);

		for (uint32_t i = 0; i < key->n_held; i++)
			if (is_edge(s, key, i)) {
				p.held[key->held[i].lock]++;
				p.wanted[key->wanted.lock]++;
			}
	}
	for (uint32_t i = 0; i < n; i++) {
		s->alive[i] = p.held[i] && p.wanted[i];
		if (!s->alive[i])
			p.removed[p.n_removed++] = i;
	}
	while (p.n_removed)
		remove_lock(s, &p, p.removed[--p.n_removed]);
	free(p.held);
	free(p.wanted);
	free(p.removed);
}

static void lock_cycles_prepare(struct search *s)
{
	const size_t n = s->graph->n_locks;

	s->alive = rfs_policy_zalloc(n, sizeof(*s->alive));
	s->holders = rfs_policy_zalloc(n, sizeof(*s->holders));
	s->wanters = rfs_policy_zalloc(n, sizeof(*s->wanters));
	index_requests(s);
	lock_cycles_prune(s);
}

/* ---- cycles ---- */

static struct rfs_lock_request lock_cycles_describe(const struct search *s, const struct graph_hold *hold)
{
	const struct graph_lock *lock = &s->graph->locks[hold->lock];

	return (struct rfs_lock_request){lock->address, lock->class, hold->site, hold->how};
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* The same for all cycles that differ only in threads, in locks of one class, and in where they begin. */
static uint64_t lock_cycles_name_of(const struct rfs_lock_cycle_part *parts, size_t n)
{
	uint64_t least = UINT64_MAX;

	for (size_t first = 0; first < n; first++) {
		uint64_t hash = n;

		for (size_t i = 0; i < n; i++) {
			const struct rfs_lock_cycle_part *part = &parts[(first + i) % n];

			hash = mix(mix(hash, part->held.class ? part->held.class : part->held.lock), part->held.site);
			hash = mix(mix(hash, part->wanted.class ? part->wanted.class : part->wanted.lock),
				   part->wanted.site);
		}
		least = hash < least ? hash : least;
	}
	return least;
}

static bool lock_cycles_is_new(struct search *s, const struct rfs_lock_cycle_part *parts, size_t n)
{
	const uint64_t name = lock_cycles_name_of(parts, n);

	for (size_t i = 0; i < s->n_seen; i++)
		if (s->seen[i] == name)
			return false;
	s->seen[s->n_seen++] = name;
	return true;
}

static void emit_chain(struct search *s)
{
	struct rfs_lock_cycle_part parts[RFS_CYCLE_PARTS_MAX];

	for (size_t i = 0; i < s->n; i++) {
		const struct graph_request_key *before = lock_cycles_key_of(s, s->chain[(i + s->n - 1) % s->n]),
					       *key = lock_cycles_key_of(s, s->chain[i]);
		const struct graph_hold *held = blocks(before, key);

		parts[i] = (struct rfs_lock_cycle_part){.thread = (int)key->thread,
							.wanted = lock_cycles_describe(s, &key->wanted)};
		if (held)
			parts[i].held = lock_cycles_describe(s, held);
	}
	if (lock_cycles_is_new(s, parts, s->n))
		s->emit(s->arg, parts, s->n);
}

/* Whether the request can be in a cycle. */
static bool lock_cycles_is_candidate(const struct search *s, const struct graph_request_key *key)
{
	return s->alive[key->wanted.lock] && !is_ignored(s, &key->wanted);
}

/* Whether the chain can go from its last request to this one. */
static bool can_follow(const struct search *s, uint32_t request)
{
	const struct graph_request_key *key = lock_cycles_key_of(s, request),
				       *last = lock_cycles_key_of(s, s->chain[s->n - 1]);

	for (size_t i = 0; i < s->n; i++) {
		const struct graph_request_key *other = lock_cycles_key_of(s, s->chain[i]);

		if (other->wanted.lock == key->wanted.lock && !(other == last && queues_behind(last, key)) &&
		    !(i == 0 && queues_behind(key, other)))
			return false;
		if (!can_meet(s, s->chain[i], request))
			return false;
	}
	return true;
}

static bool lock_cycles_is_over(const struct search *s)
{
	return s->looks >= LOOKS_MAX || s->n_seen == CYCLES_MAX;
}

static void lock_cycles_grow(struct search *s);

static void try_requests(struct search *s, const struct uses *uses, bool behind)
{
	const struct graph_request_key *last = lock_cycles_key_of(s, s->chain[s->n - 1]);

	for (size_t i = 0; i < uses->n && !lock_cycles_is_over(s); i++) {
		const uint32_t request = uses->list[i];

		s->looks++;
		if (request <= s->chain[0] || !lock_cycles_is_candidate(s, lock_cycles_key_of(s, request)))
			continue; /* the chain begins with its oldest request */
		if (!(behind ? queues_behind(last, lock_cycles_key_of(s, request))
			     : blocks(last, lock_cycles_key_of(s, request)) != NULL))
			continue;
		if (!can_follow(s, request))
			continue;
		s->chain[s->n++] = request;
		lock_cycles_grow(s);
		s->n--;
	}
}

static bool closes(const struct search *s)
{
	const struct graph_request_key *last = lock_cycles_key_of(s, s->chain[s->n - 1]),
				       *first = lock_cycles_key_of(s, s->chain[0]);

	return blocks(last, first) || queues_behind(last, first);
}

static void lock_cycles_grow(struct search *s)
{
	const struct graph_request_key *last = lock_cycles_key_of(s, s->chain[s->n - 1]);

	if (s->n == s->length) {
		s->was_so_long = true;
		if (closes(s))
			emit_chain(s);
		return;
	}
	try_requests(s, &s->holders[last->wanted.lock], false);
	if (lock_cycles_is_shared(&last->wanted) && (last->wanted.how & RFS_LOCK_PREFERS_WRITERS))
		try_requests(s, &s->wanters[last->wanted.lock], true);
}

static void lock_cycles_release(struct search *s)
{
	for (size_t i = 0; i < s->graph->n_locks; i++) {
		free(s->holders[i].list);
		free(s->wanters[i].list);
	}
	free(s->holders);
	free(s->wanters);
	free(s->alive);
}

bool rfs_lock_graph_cycles(const struct rfs_lock_graph *graph, rfs_lock_cycle_emit *emit, void *arg)
{
	struct search s = {.graph = graph, .emit = emit, .arg = arg};
	bool complete;

	if (!graph->n_requests)
		return true;
	lock_cycles_prepare(&s);
	s.was_so_long = true;
	for (s.length = 2; s.length <= RFS_CYCLE_PARTS_MAX && s.was_so_long; s.length++) {
		s.was_so_long = false;
		for (uint32_t r = 0; r < graph->n_requests && !lock_cycles_is_over(&s); r++) {
			if (!lock_cycles_is_candidate(&s, lock_cycles_key_of(&s, r)))
				continue;
			s.chain[0] = r;
			s.n = 1;
			lock_cycles_grow(&s);
		}
	}
	complete = !lock_cycles_is_over(&s) && !graph->is_full;
	lock_cycles_release(&s);
	return complete;
}

static void try_inversion(struct search *s, uint32_t r, uint32_t other)
{
	const struct graph_request_key *a = lock_cycles_key_of(s, r), *b = lock_cycles_key_of(s, other);

	if (other <= r || a->thread != b->thread || a->wanted.lock == b->wanted.lock || !blocks(a, b) || !blocks(b, a))
		return;
	s->chain[0] = r;
	s->chain[1] = other;
	s->n = 2;
	emit_chain(s);
}

void rfs_lock_graph_inversions(const struct rfs_lock_graph *graph, rfs_lock_cycle_emit *emit, void *arg)
{
	struct search s = {.graph = graph, .emit = emit, .arg = arg};

	if (!graph->n_requests)
		return;
	lock_cycles_prepare(&s);
	for (uint32_t r = 0; r < graph->n_requests; r++) {
		const struct graph_request_key *key = lock_cycles_key_of(&s, r);
		const struct uses *uses = &s.holders[key->wanted.lock];

		for (size_t i = 0; i < uses->n && lock_cycles_is_candidate(&s, key) && !lock_cycles_is_over(&s);
		     i++, s.looks++)
			try_inversion(&s, r, uses->list[i]);
	}
	lock_cycles_release(&s);
}
