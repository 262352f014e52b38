#include "policy/detect/lifetimes.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "policy/core/alloc.h"
#include "policy/core/hb.h"
#include "policy/core/vclock.h"
#include "policy/detect/atomicity-priv.h"
#include "policy/detect/atomicity.h"

/* Uses that are kept of one object: a few places of each of its threads. The oldest one is replaced. */
#define USES_MAX 16
/* Objects that are kept at the same time. */
#define OBJECTS_MAX (1u << 16)
/* Objects of the thread library are aligned to this many bytes at least. */
#define ALIGNMENT 4

struct life_use {
	int thread;
	rfs_site site;
	uint64_t own;	   /* the thread's own time */
	uint64_t sequence; /* number of the use in the run */
};

struct rfs_life {
	UT_hash_handle hh;
	rfs_addr object;
	struct life_use uses[USES_MAX];
	size_t n_uses;
};

/* How an object ends. */
struct life_end {
	enum rfs_atomicity_pattern pattern;
	int thread;
	rfs_site site;
	unsigned access; /* 0: it is a call */
};

static struct rfs_life *find(const struct rfs_lifetimes *lifetimes, rfs_addr object)
{
	struct rfs_life *life;

	HASH_FIND(hh, lifetimes->objects, &object, sizeof(object), life);
	return life;
}

static void forget(struct rfs_lifetimes *lifetimes, struct rfs_life *life)
{
	HASH_DEL(lifetimes->objects, life);
	free(life);
}

/* The entry of this thread and place, or a new one. */
static struct life_use *use_of(struct rfs_life *life, int thread, rfs_site site)
{
	struct life_use *oldest = &life->uses[0];

	for (size_t i = 0; i < life->n_uses; i++) {
		if (life->uses[i].thread == thread && life->uses[i].site == site)
			return &life->uses[i];
		if (life->uses[i].sequence < oldest->sequence)
			oldest = &life->uses[i];
	}
	return life->n_uses < USES_MAX ? &life->uses[life->n_uses++] : oldest;
}

static void add_use(struct rfs_atomicity_graph *graph, rfs_addr object, int thread, rfs_site site)
{
	struct rfs_lifetimes *lifetimes = &graph->lifetimes;
	struct rfs_life *life = find(lifetimes, object);

	if (!life && HASH_COUNT(lifetimes->objects) >= OBJECTS_MAX) {
		graph->is_full = true;
		return;
	}
	if (!life) {
		life = rfs_policy_zalloc(1, sizeof(*life));
		life->object = object;
		HASH_ADD(hh, lifetimes->objects, object, sizeof(life->object), life);
		if (!rfs_pagemap_find(&lifetimes->pages, object >> RFS_PAGE_SHIFT))
			rfs_pagemap_add(&lifetimes->pages, object >> RFS_PAGE_SHIFT, lifetimes);
	}
	*use_of(life, thread, site) = (struct life_use){
		.thread = thread,
		.site = site,
		.own = rfs_vclock_get(rfs_hb_clock(&graph->hb, thread), (uint32_t)thread),
		.sequence = ++lifetimes->sequence,
	};
}

static void add_violation(struct rfs_atomicity_graph *graph, const struct rfs_life *life, const struct life_use *use,
			  const struct life_end *end)
{
	const struct atom_key key = {{use->site, 0, end->site, 0, end->pattern}};
	const struct rfs_atomicity_violation violation = {
		.pattern = end->pattern,
		.first = {.site = use->site, .thread = use->thread},
		.remote = {.site = end->site, .thread = end->thread, .access = end->access},
		.second = {.thread = use->thread},
		.address = life->object,
		.distance = graph->lifetimes.sequence - use->sequence,
	};

	rfs_atom_add(graph, &key, &violation);
}

/* Adds a violation for each use that another thread made and that nothing orders before the end. */
static void end_life(struct rfs_atomicity_graph *graph, struct rfs_life *life, const struct life_end *end)
{
	const struct rfs_vclock *knows = rfs_hb_clock(&graph->hb, end->thread);

	for (size_t i = 0; i < life->n_uses; i++) {
		const struct life_use *use = &life->uses[i];

		if (use->thread != end->thread && use->site && end->site &&
		    rfs_vclock_get(knows, (uint32_t)use->thread) < use->own)
			add_violation(graph, life, use, end);
	}
	forget(&graph->lifetimes, life);
}

void rfs_lifetimes_op(struct rfs_atomicity_graph *graph, const struct rfs_event *event)
{
	const struct rfs_op *op = &event->op;
	struct rfs_life *life;

	switch (op->kind) {
	case RFS_OP_LOCK:
	case RFS_OP_RDLOCK:
	case RFS_OP_WRLOCK:
	case RFS_OP_TRYLOCK:
	case RFS_OP_COND_WAIT:
	case RFS_OP_COND_SIGNAL:
	case RFS_OP_COND_BROADCAST:
	case RFS_OP_SEM_WAIT:
	case RFS_OP_SEM_TRYWAIT:
	case RFS_OP_SEM_POST:
	case RFS_OP_BARRIER_WAIT:
	case RFS_OP_BARRIER_ARRIVE:
		add_use(graph, op->object, event->thread, op->site);
		break;
	case RFS_OP_DESTROY:
		life = find(&graph->lifetimes, op->object);
		if (life)
			end_life(graph, life,
				 &(struct life_end){RFS_ORDER_USE_DESTROY, event->thread, op->site, .access = 0});
		break;
	default:
		break;
	}
}

typedef void life_visit(struct rfs_atomicity_graph *graph, struct rfs_life *life, const struct life_end *end);

/* Calls visit for each object in this memory. visit may remove it. */
static void visit_memory(struct rfs_atomicity_graph *graph, rfs_addr address, uint64_t size, life_visit *visit,
			 const struct life_end *end)
{
	struct rfs_lifetimes *lifetimes = &graph->lifetimes;
	rfs_addr at = (address + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, next_page;
	struct rfs_life *life, *next;

	if (size / ALIGNMENT < HASH_COUNT(lifetimes->objects)) {
		for (; at < address + size; at = next_page) {
			next_page = (at | (RFS_PAGE_SIZE - 1)) + 1;
			if (!rfs_pagemap_find(&lifetimes->pages, at >> RFS_PAGE_SHIFT))
				continue;
			for (; at < address + size && at < next_page; at += ALIGNMENT) {
				life = find(lifetimes, at);
				if (life)
					visit(graph, life, end);
			}
		}
		return;
	}
	HASH_ITER (hh, lifetimes->objects, life, next)
		if (life->object - address < size)
			visit(graph, life, end);
}

void rfs_lifetimes_free(struct rfs_atomicity_graph *graph, int thread, const struct rfs_access *access)
{
	visit_memory(graph, access->address, access->size, end_life,
		     &(struct life_end){RFS_ORDER_CALL_FREE, thread, access->site, access->access});
}

static void forget_life(struct rfs_atomicity_graph *graph, struct rfs_life *life, const struct life_end *end)
{
	(void)end;
	forget(&graph->lifetimes, life);
}

void rfs_lifetimes_reset(struct rfs_atomicity_graph *graph, rfs_addr address, uint64_t size)
{
	visit_memory(graph, address, size, forget_life, NULL);
}

void rfs_lifetimes_release(struct rfs_lifetimes *lifetimes)
{
	struct rfs_life *life, *next;

	HASH_ITER (hh, lifetimes->objects, life, next)
		forget(lifetimes, life);
	rfs_pagemap_release(&lifetimes->pages);
}
