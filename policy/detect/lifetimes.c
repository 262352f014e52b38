/* lifetimes.c - says which operations use an object and which end it. life_uses.c keeps the uses. */
#include "policy/detect/lifetimes.h"

#include <stddef.h>
#include <uthash.h>

#include "policy/detect/atom_run.h"
#include "policy/detect/atomicity_pattern.h"
#include "policy/detect/life_uses.h"
#include "policy/policy.h"

/* Objects that are kept at the same time. */
#define OBJECTS_MAX (1u << 16)
/* Objects of the thread library are aligned to this many bytes at least. */
#define ALIGNMENT 4

/* How an object ends. */
struct life_end {
	enum rfs_atomicity_pattern pattern;
	int thread;
	rfs_site site;
	unsigned access; /* 0: it is a call */
};

static void lifetimes_add_use(struct atom_run *run, struct rfs_lifetimes *lifetimes, rfs_addr object, int thread,
			      rfs_site site)
{
	if (rfs_life_uses_use(run, &lifetimes->objects, OBJECTS_MAX, object, thread, site) &&
	    !rfs_pagemap_find(&lifetimes->pages, object >> RFS_PAGE_SHIFT))
		rfs_pagemap_add(&lifetimes->pages, object >> RFS_PAGE_SHIFT, lifetimes);
}

static void lifetimes_add_violation(struct atom_run *run, const struct rfs_life_uses *lives,
				    const struct rfs_life *life, const struct rfs_life_use *use, const void *arg)
{
	const struct life_end *end = arg;
	const struct atom_key key = {{use->site, 0, end->site, 0, end->pattern}};
	const struct rfs_atomicity_violation violation = {
		.pattern = end->pattern,
		.first = {.site = use->site, .thread = use->thread},
		.remote = {.site = end->site, .thread = end->thread, .access = end->access},
		.second = {.thread = use->thread},
		.address = life->number,
		.distance = lives->sequence - use->sequence,
	};

	rfs_atom_add(run, &key, &violation);
}

static void lifetimes_end_life(struct atom_run *run, struct rfs_lifetimes *lifetimes, struct rfs_life *life,
			       const struct life_end *end)
{
	rfs_life_uses_end(run, &lifetimes->objects, life, end->thread, end->site, lifetimes_add_violation, end);
}

void rfs_lifetimes_op(struct atom_run *run, struct rfs_lifetimes *lifetimes, const struct rfs_event *event)
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
	case RFS_OP_SEM_VALUE:
	case RFS_OP_BARRIER_WAIT:
	case RFS_OP_BARRIER_ARRIVE:
		lifetimes_add_use(run, lifetimes, op->object, event->thread, op->site);
		break;
	case RFS_OP_DESTROY:
		life = rfs_life_uses_find(&lifetimes->objects, op->object);
		if (life)
			lifetimes_end_life(
				run, lifetimes, life,
				&(struct life_end){RFS_ORDER_USE_DESTROY, event->thread, op->site, .access = 0});
		break;
	default:
		break;
	}
}

typedef void life_visit(struct atom_run *run, struct rfs_lifetimes *lifetimes, struct rfs_life *life,
			const struct life_end *end);

/* Calls visit for each object in this memory. visit may remove it. */
static void visit_memory(struct atom_run *run, struct rfs_lifetimes *lifetimes, rfs_addr address, uint64_t size,
			 life_visit *visit, const struct life_end *end)
{
	rfs_addr at = (address + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, next_page;
	struct rfs_life *life, *next;

	if (size / ALIGNMENT < HASH_COUNT(lifetimes->objects.list)) {
		for (; at < address + size; at = next_page) {
			next_page = (at | (RFS_PAGE_SIZE - 1)) + 1;
			if (!rfs_pagemap_find(&lifetimes->pages, at >> RFS_PAGE_SHIFT))
				continue;
			for (; at < address + size && at < next_page; at += ALIGNMENT) {
				life = rfs_life_uses_find(&lifetimes->objects, at);
				if (life)
					visit(run, lifetimes, life, end);
			}
		}
		return;
	}
	HASH_ITER (hh, lifetimes->objects.list, life, next)
		if (life->number - address < size)
			visit(run, lifetimes, life, end);
}

void rfs_lifetimes_free(struct atom_run *run, struct rfs_lifetimes *lifetimes, int thread,
			const struct rfs_access *access)
{
	visit_memory(run, lifetimes, access->address, access->size, lifetimes_end_life,
		     &(struct life_end){RFS_ORDER_CALL_FREE, thread, access->site, access->access});
}

static void forget_life(struct atom_run *run, struct rfs_lifetimes *lifetimes, struct rfs_life *life,
			const struct life_end *end)
{
	(void)run;
	(void)end;
	rfs_life_uses_forget(&lifetimes->objects, life);
}

void rfs_lifetimes_reset(struct atom_run *run, struct rfs_lifetimes *lifetimes, rfs_addr address, uint64_t size)
{
	visit_memory(run, lifetimes, address, size, forget_life, NULL);
}

void rfs_lifetimes_release(struct rfs_lifetimes *lifetimes)
{
	rfs_life_uses_release(&lifetimes->objects);
	rfs_pagemap_release(&lifetimes->pages);
}
