/*
 * atomicity.c - records which data threads access in their critical sections. atomicity_search.c finds the violations.
 *
 * An access outside of all sections costs two comparisons, unless it is to another thread's stack. Other accesses are
 * added to the unit of their thread at their granule: all accesses under the same acquisitions of locks are one unit.
 * If the thread comes back with other acquisitions, its last unit and the one before it are kept, each shape a few
 * times. When memory gets a new use, its granules are searched and forgotten.
 */
#include "policy/detect/atomicity.h"

#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"
#include "policy/core/hb.h"
#include "policy/core/pagemap.h"
#include "policy/core/vclock.h"
#include "policy/detect/atom_run.h"
#include "policy/detect/atom_unit.h"
#include "policy/detect/atomicity_search.h"
#include "policy/detect/fd_lifetimes.h"
#include "policy/detect/life_uses.h"
#include "policy/detect/lifetimes.h"
#include "policy/detect/order_search.h"
#include "policy/detect/section_pairs.h"
#include "policy/detect/stack_lifetimes.h"
#include "policy/policy.h"
#include "policy/shadow/shadow.h"

#define GRANULE_SHIFT RFS_GRANULE_SHIFT
/* Many variables have four bytes. */
#define HALF ((rfs_addr)4)
/* Of a longer access, such as a memcpy, only the first granules count. */
#define GRANULES_MOST 16
/* Granules that are recorded at the same time, and sections and pairs of sections that are kept for all of them. With
 * all that belongs to them, they take at most about 100 MB. */
#define CELLS_MAX (1u << 15)
#define KEPT_MAX (1u << 15)
/* Different sections, and pairs of sections, that are kept for one granule. */
#define UNITS_MAX 24
/* Granules whose cells are found without a search in the hash table: the latest one of each set of addresses. */
#define LATEST 1024

struct rfs_atomicity_graph {
	struct atom_run run;
	struct atom_cell *cells; /* uthash */
	struct atom_cell *latest[LATEST];
	struct rfs_pagemap pages; /* struct rfs_granule_set: which granules of a page are in `cells` */
	struct rfs_lifetimes lifetimes;
	struct rfs_fd_lives fds; /* descriptors, by number */
	struct rfs_stack_lifetimes stacks;
	struct atom_section_pairs pairs;
	uint64_t sequence, instances;
	size_t n_kept; /* units and locals of all cells */
};

struct rfs_atomicity_graph *rfs_atomicity_new(void)
{
	return rfs_policy_zalloc(1, sizeof(struct rfs_atomicity_graph));
}

/* ---- contexts ---- */

static void release_unit(struct atom_unit *unit)
{
	rfs_atom_context_release(unit->first);
	rfs_atom_context_release(unit->last);
	*unit = (struct atom_unit){0};
}

static struct atom_unit copy_unit(const struct atom_unit *unit)
{
	rfs_atom_context_share(unit->first);
	rfs_atom_context_share(unit->last);
	return *unit;
}

static struct atom_thread *atomicity_detector_thread_of(struct rfs_atomicity_graph *atomicity, int thread)
{
	atomicity->run.threads = rfs_policy_grow(atomicity->run.threads, &atomicity->run.n_threads, (size_t)thread + 1,
						 sizeof(*atomicity->run.threads));
	return &atomicity->run.threads[thread];
}

static struct atom_clock *atomicity_clock_of(struct rfs_atomicity_graph *atomicity, int number)
{
	struct atom_thread *thread = &atomicity->run.threads[number];

	if (!thread->clock) {
		const struct rfs_vclock *now = rfs_hb_clock(&atomicity->run.hb, number);

		thread->clock = rfs_policy_zalloc(1, sizeof(*thread->clock));
		thread->clock->refs = 1;
		rfs_vclock_join(&thread->clock->knows, now);
		thread->own = rfs_vclock_get(now, (uint32_t)number);
	}
	return thread->clock;
}

static struct atom_context *make_context(struct rfs_atomicity_graph *atomicity, int number)
{
	struct atom_thread *thread = &atomicity->run.threads[number];
	const size_t n = thread->n_holds < HOLDS_MAX ? thread->n_holds : HOLDS_MAX;
	struct atom_context *context = rfs_policy_zalloc(1, sizeof(*context) + n * sizeof(*context->holds));

	*context = (struct atom_context){.refs = 1, .thread = number, .sequence = ++atomicity->sequence, .n_holds = n};
	context->clock = atomicity_clock_of(atomicity, number);
	context->clock->refs++;
	context->own = thread->own;
	if (n)
		memcpy(context->holds, thread->holds + thread->n_holds - n, n * sizeof(*context->holds));
	return context;
}

/* The context of an access at this site. An atomic access outside of all sections is a section too. */
static struct atom_context *atomicity_context_of(struct rfs_atomicity_graph *atomicity, int number, rfs_site site)
{
	struct atom_thread *thread = atomicity_detector_thread_of(atomicity, number);

	for (size_t i = 0; i < thread->n_holds; i++)
		if (!thread->holds[i].entry)
			thread->holds[i].entry = site;
	if (!thread->n_holds)
		rfs_atom_end_context(thread);
	if (!thread->context)
		thread->context = make_context(atomicity, number);
	return thread->context;
}

/* ---- granules ---- */

static struct atom_cell **latest_of(struct rfs_atomicity_graph *atomicity, rfs_addr granule)
{
	return &atomicity->latest[granule >> GRANULE_SHIFT & (LATEST - 1)];
}

static struct atom_cell *find_cell(struct rfs_atomicity_graph *atomicity, rfs_addr granule)
{
	struct atom_cell **latest = latest_of(atomicity, granule), *cell;

	if (*latest && (*latest)->granule == granule)
		return *latest;
	HASH_FIND(hh, atomicity->cells, &granule, sizeof(granule), cell);
	if (cell)
		*latest = cell;
	return cell;
}

static unsigned number_in_page(rfs_addr granule)
{
	return granule >> GRANULE_SHIFT & (RFS_GRANULES - 1);
}

static void note_in_page(struct rfs_atomicity_graph *atomicity, rfs_addr granule)
{
	struct rfs_granule_set *page = rfs_pagemap_find(&atomicity->pages, granule >> RFS_PAGE_SHIFT);

	if (!page) {
		page = rfs_policy_zalloc(1, sizeof(*page));
		rfs_pagemap_add(&atomicity->pages, granule >> RFS_PAGE_SHIFT, page);
	}
	rfs_granules_add(page, number_in_page(granule));
}

static struct atom_cell *make_cell(struct rfs_atomicity_graph *atomicity, rfs_addr granule)
{
	struct atom_cell *cell;

	if (HASH_COUNT(atomicity->cells) >= CELLS_MAX) {
		atomicity->run.is_full = true;
		return NULL;
	}
	cell = rfs_policy_zalloc(1, sizeof(*cell));
	cell->granule = granule;
	HASH_ADD(hh, atomicity->cells, granule, sizeof(cell->granule), cell);
	note_in_page(atomicity, granule);
	return cell;
}

static bool same_instances(const struct atom_context *a, const struct atom_context *b)
{
	if (a == b)
		return true;
	if (a->n_holds != b->n_holds || !a->n_holds)
		return false;
	for (size_t i = 0; i < a->n_holds; i++)
		if (a->holds[i].instance != b->holds[i].instance)
			return false;
	return true;
}

static void set_unit(struct atom_unit *to, const struct atom_unit *from)
{
	const struct atom_unit copy = copy_unit(from);

	release_unit(to);
	*to = copy;
}

/* The place for one more time: the next free one, then always the last one. */
static size_t next_time(size_t *n)
{
	if (*n < TIMES_MAX)
		++*n;
	return *n - 1;
}

static void keep_unit(struct rfs_atomicity_graph *atomicity, struct atom_cell *cell, const struct atom_unit *unit)
{
	struct atom_units *units = NULL;

	for (size_t i = 0; i < cell->n_units && !units; i++)
		if (rfs_atom_same_shape(&cell->units[i].list[0], unit))
			units = &cell->units[i];
	if (!units && (cell->n_units == UNITS_MAX || atomicity->n_kept == KEPT_MAX)) {
		atomicity->run.is_full = true;
		return;
	}
	if (!units) {
		cell->units = rfs_policy_grow_small(cell->units, &cell->units_capacity, cell->n_units + 1,
						    sizeof(*cell->units));
		units = &cell->units[cell->n_units++];
		atomicity->n_kept++;
	}
	set_unit(&units->list[next_time(&units->n)], unit);
}

static void keep_local(struct rfs_atomicity_graph *atomicity, struct atom_cell *cell, const struct atom_unit *first,
		       const struct atom_unit *second)
{
	struct atom_local *local = NULL;
	size_t at;

	if (rfs_atom_same_shape(first, second))
		return;
	for (size_t i = 0; i < cell->n_locals && !local; i++)
		if (rfs_atom_same_shape(&cell->locals[i].first[0], first) &&
		    rfs_atom_same_shape(&cell->locals[i].second[0], second))
			local = &cell->locals[i];
	if (!local && (cell->n_locals == UNITS_MAX || atomicity->n_kept == KEPT_MAX)) {
		atomicity->run.is_full = true;
		return;
	}
	if (!local) {
		cell->locals = rfs_policy_grow_small(cell->locals, &cell->locals_capacity, cell->n_locals + 1,
						     sizeof(*cell->locals));
		local = &cell->locals[cell->n_locals++];
		atomicity->n_kept++;
	}
	at = next_time(&local->n);
	set_unit(&local->first[at], first);
	set_unit(&local->second[at], second);
}

/* The thread's present unit is complete. */
static void end_unit(struct rfs_atomicity_graph *atomicity, struct atom_cell *cell, struct atom_recent *recent)
{
	if (!recent->now.first)
		return;
	keep_unit(atomicity, cell, &recent->now);
	if (recent->before.first && !(recent->now.flags & ATOM_SYNC))
		keep_local(atomicity, cell, &recent->before, &recent->now);
	release_unit(&recent->before);
	recent->before = recent->now;
	recent->now = (struct atom_unit){0};
}

static rfs_addr half_of(const struct atom_cell *cell, unsigned half)
{
	return (cell->granule + half * HALF) | ATOM_HALF;
}

static struct atom_recent *recent_of(struct atom_cell *cell, int thread, rfs_addr address)
{
	for (size_t i = 0; i < cell->n_recent; i++)
		if (cell->recent[i].thread == thread && cell->recent[i].address == address)
			return &cell->recent[i];
	cell->recent =
		rfs_policy_grow_small(cell->recent, &cell->recent_capacity, cell->n_recent + 1, sizeof(*cell->recent));
	cell->recent[cell->n_recent] = (struct atom_recent){.thread = thread, .address = address};
	return &cell->recent[cell->n_recent++];
}

/* The thread's present unit at this address, which the context extends or begins. */
static struct atom_unit *extend_unit(struct rfs_atomicity_graph *atomicity, struct atom_cell *cell,
				     struct atom_context *context, rfs_addr address)
{
	struct atom_recent *recent = recent_of(cell, context->thread, address);

	if (recent->now.first && !same_instances(recent->now.first, context))
		end_unit(atomicity, cell, recent);
	if (!recent->now.first) {
		recent->now = (struct atom_unit){.first = rfs_atom_context_share(context),
						 .last = rfs_atom_context_share(context),
						 .address = address};
	} else if (recent->now.last != context) {
		rfs_atom_context_release(recent->now.last);
		recent->now.last = rfs_atom_context_share(context);
	}
	return &recent->now;
}

/* From now on, the halves of the granule are different data. What a thread did to the whole counts for both. */
static void atomicity_split(struct rfs_atomicity_graph *atomicity, struct atom_cell *cell)
{
	const size_t n = cell->n_recent;

	cell->split = true;
	for (size_t i = 0; i < n; i++) {
		if (cell->recent[i].address)
			continue;
		end_unit(atomicity, cell, &cell->recent[i]);
		for (unsigned half = 0; half < 2 && cell->recent[i].before.first; half++) {
			struct atom_recent *recent = recent_of(cell, cell->recent[i].thread, half_of(cell, half));

			set_unit(&recent->before, &cell->recent[i].before);
			recent->before.address = recent->address;
		}
		release_unit(&cell->recent[i].before);
	}
}

static void atomicity_add_access(struct rfs_atomicity_graph *atomicity, struct atom_cell *cell,
				 struct atom_context *context, const struct rfs_access *access)
{
	const bool halves[2] = {access->address<cell->granule + HALF, access->address + access->size> cell->granule +
				HALF};

	if (!context->n_holds) {
		rfs_atom_unit_add(extend_unit(atomicity, cell, context, access->address), cell->granule, access);
		return;
	}
	if (!cell->split && !(halves[0] && halves[1]))
		atomicity_split(atomicity, cell);
	if (!cell->split)
		rfs_atom_unit_add(extend_unit(atomicity, cell, context, 0), cell->granule, access);
	for (unsigned half = 0; half < 2 && cell->split; half++)
		if (halves[half])
			rfs_atom_unit_add(extend_unit(atomicity, cell, context, half_of(cell, half)), cell->granule,
					  access);
}

/* A wait counts as a read of the condition variable, and a signal as a write. */
static void add_signalling(struct rfs_atomicity_graph *atomicity, const struct rfs_event *event)
{
	const struct rfs_op *op = &event->op;
	const bool waits = op->kind == RFS_OP_COND_WAIT;
	const rfs_addr granule = op->object >> GRANULE_SHIFT << GRANULE_SHIFT;
	struct atom_cell *cell = find_cell(atomicity, granule);
	struct atom_unit *unit;

	if (!cell)
		cell = make_cell(atomicity, granule);
	if (!cell)
		return;
	/* an address that no data has, so that units of the two kinds are not mixed */
	unit = extend_unit(atomicity, cell, atomicity_context_of(atomicity, event->thread, op->site), UINT64_MAX);
	if (!(unit->flags & (waits ? ATOM_READ : ATOM_WRITE)))
		*(waits ? &unit->read : &unit->write) = op->site;
	unit->flags |= ATOM_SYNC | (waits ? ATOM_READ : ATOM_WRITE);
}

/* Searches the granule, and forgets it. */
static void end_cell(struct rfs_atomicity_graph *atomicity, struct atom_cell *cell, bool search)
{
	for (size_t i = 0; i < cell->n_recent && search; i++)
		end_unit(atomicity, cell, &cell->recent[i]);
	if (search) {
		rfs_atomicity_search(&atomicity->run, cell);
		rfs_order_search(&atomicity->run, cell);
	}
	for (size_t i = 0; i < cell->n_recent; i++) {
		release_unit(&cell->recent[i].before);
		release_unit(&cell->recent[i].now);
	}
	for (size_t i = 0; i < cell->n_units; i++)
		for (size_t k = 0; k < cell->units[i].n; k++)
			release_unit(&cell->units[i].list[k]);
	for (size_t i = 0; i < cell->n_locals; i++)
		for (size_t k = 0; k < cell->locals[i].n; k++) {
			release_unit(&cell->locals[i].first[k]);
			release_unit(&cell->locals[i].second[k]);
		}
	atomicity->n_kept -= cell->n_units + cell->n_locals;
	HASH_DEL(atomicity->cells, cell);
	if (*latest_of(atomicity, cell->granule) == cell)
		*latest_of(atomicity, cell->granule) = NULL;
	rfs_granules_remove(rfs_pagemap_find(&atomicity->pages, cell->granule >> RFS_PAGE_SHIFT),
			    number_in_page(cell->granule));
	free(cell->recent);
	free(cell->units);
	free(cell->locals);
	free(cell);
}

typedef void cell_visit(struct rfs_atomicity_graph *atomicity, struct atom_cell *cell, void *arg);

/* Calls visit for the granules of a page, from `from` to `last`, that are recorded. */
static void atomicity_visit_page(struct rfs_atomicity_graph *atomicity, rfs_addr from, rfs_addr last, cell_visit *visit,
				 void *arg)
{
	const rfs_addr start = from & ~(rfs_addr)(RFS_PAGE_SIZE - 1);
	const struct rfs_granule_set *page = rfs_pagemap_find(&atomicity->pages, from >> RFS_PAGE_SHIFT);
	unsigned g = page ? rfs_granules_next(page, number_in_page(from)) : RFS_GRANULES;

	for (; g < RFS_GRANULES && start + ((rfs_addr)g << GRANULE_SHIFT) <= last; g = rfs_granules_next(page, g + 1))
		visit(atomicity, find_cell(atomicity, start + ((rfs_addr)g << GRANULE_SHIFT)), arg);
}

/* Calls visit for each granule of the range that is recorded. Most ranges have none: they are new or freed memory. */
static void visit_cells(struct rfs_atomicity_graph *atomicity, rfs_addr address, uint64_t size, cell_visit *visit,
			void *arg)
{
	const rfs_addr begin = address >> GRANULE_SHIFT, last = (address + size - 1) >> GRANULE_SHIFT;
	struct atom_cell *cell, *next;

	if (!size)
		return;
	if (last - begin < HASH_COUNT(atomicity->cells)) {
		for (rfs_addr at = begin; at <= last; at = (at | (RFS_GRANULES - 1)) + 1)
			atomicity_visit_page(atomicity, at << GRANULE_SHIFT, last << GRANULE_SHIFT, visit, arg);
		return;
	}
	HASH_ITER (hh, atomicity->cells, cell, next)
		if (cell->granule >> GRANULE_SHIFT >= begin && cell->granule >> GRANULE_SHIFT <= last)
			visit(atomicity, cell, arg);
}

/* ---- events ---- */

struct freeing {
	struct atom_context *context;
	const struct rfs_access *access;
};

static void add_free(struct rfs_atomicity_graph *atomicity, struct atom_cell *cell, void *arg)
{
	const struct freeing *freeing = arg;

	atomicity_add_access(atomicity, cell, freeing->context, freeing->access);
}

static void add_granules(struct rfs_atomicity_graph *atomicity, int thread, const struct rfs_access *access)
{
	struct atom_context *context = atomicity_context_of(atomicity, thread, access->site);
	const rfs_addr first = access->address >> GRANULE_SHIFT,
		       last = (access->address + access->size - 1) >> GRANULE_SHIFT;

	if (access->access & RFS_ACCESS_FREE) {
		visit_cells(atomicity, access->address, access->size, add_free, &(struct freeing){context, access});
		return;
	}
	if (context->n_holds)
		rfs_sections_access(&atomicity->pairs, context, access);
	for (rfs_addr at = first; at <= last && at - first < GRANULES_MOST; at++) {
		struct atom_cell *cell = find_cell(atomicity, at << GRANULE_SHIFT);

		if (!cell)
			cell = make_cell(atomicity, at << GRANULE_SHIFT);
		if (cell)
			atomicity_add_access(atomicity, cell, context, access);
	}
}

bool rfs_atomicity_matters(struct rfs_atomicity_graph *atomicity, int thread, rfs_addr address)
{
	return rfs_atomicity_in_section(atomicity, thread) ||
	       (rfs_stack_lifetimes_may_have(&atomicity->stacks, address) &&
		rfs_stack_lifetimes_find(&atomicity->stacks, thread, address));
}

bool rfs_atomicity_in_section(struct rfs_atomicity_graph *atomicity, int thread)
{
	return atomicity_detector_thread_of(atomicity, thread)->n_holds > 0;
}

void rfs_atomicity_accesses(struct rfs_atomicity_graph *atomicity, int thread, const struct rfs_access *accesses,
			    size_t n)
{
	const bool in_section = rfs_atomicity_in_section(atomicity, thread);

	for (size_t i = 0; i < n; i++) {
		if (accesses[i].access & RFS_ACCESS_FREE)
			rfs_lifetimes_free(&atomicity->run, &atomicity->lifetimes, thread, &accesses[i]);
		else if (rfs_stack_lifetimes_may_have(&atomicity->stacks, accesses[i].address))
			rfs_stack_lifetimes_use(&atomicity->run, &atomicity->stacks, thread, &accesses[i]);
		atomicity->run.threads[thread].changes += (accesses[i].access & RFS_ACCESS_ATOMIC) != 0;
		if ((in_section || (accesses[i].access & (RFS_ACCESS_ATOMIC | RFS_ACCESS_CALL))) && accesses[i].size)
			add_granules(atomicity, thread, &accesses[i]);
	}
}

static struct atom_hold *atomicity_hold_of(struct atom_thread *thread, rfs_addr lock)
{
	for (size_t i = 0; i < thread->n_holds; i++)
		if (thread->holds[i].lock == lock)
			return &thread->holds[i];
	return NULL;
}

static void atomicity_acquire(struct rfs_atomicity_graph *atomicity, const struct rfs_event *event)
{
	struct atom_thread *thread = atomicity_detector_thread_of(atomicity, event->thread);
	struct atom_hold *hold = atomicity_hold_of(thread, event->op.object);

	if (hold) {
		hold->count++;
		return;
	}
	rfs_atom_end_context(thread);
	thread->holds = rfs_policy_grow(thread->holds, &thread->capacity, thread->n_holds + 1, sizeof(*thread->holds));
	thread->holds[thread->n_holds++] = (struct atom_hold){
		.lock = event->op.object,
		.instance = ++atomicity->instances,
		.count = 1,
		.shared = event->op.kind == RFS_OP_RDLOCK,
		.resumes = thread->last == RFS_OP_COND_WAKE ? thread->waited : 0,
		.site = event->op.site,
	};
}

static void remove_hold(struct rfs_atomicity_graph *atomicity, struct atom_thread *thread, struct atom_hold *hold)
{
	const size_t i = (size_t)(hold - thread->holds);

	rfs_atom_end_context(thread);
	memmove(hold, hold + 1, (--thread->n_holds - i) * sizeof(*hold));
	if (!thread->n_holds)
		rfs_sections_end(&atomicity->pairs, (int)(thread - atomicity->run.threads));
}

static void atomicity_release(struct rfs_atomicity_graph *atomicity, const struct rfs_event *event)
{
	struct atom_thread *thread = atomicity_detector_thread_of(atomicity, event->thread);
	struct atom_hold *hold = atomicity_hold_of(thread, event->op.object);

	/* some programs unlock a mutex from the wrong thread */
	for (size_t i = 0; i < atomicity->run.n_threads && !hold; i++) {
		thread = &atomicity->run.threads[i];
		hold = atomicity_hold_of(thread, event->op.object);
	}
	if (!hold || --hold->count > 0)
		return;
	if (thread->last == RFS_OP_COND_WAIT)
		thread->waited = hold->instance;
	remove_hold(atomicity, thread, hold);
}

static void forget_cell(struct rfs_atomicity_graph *atomicity, struct atom_cell *cell, void *arg)
{
	(void)arg;
	end_cell(atomicity, cell, true);
}

static void atomicity_reset(struct rfs_atomicity_graph *atomicity, const struct rfs_event *event)
{
	visit_cells(atomicity, event->op.object, event->op.size, forget_cell, NULL);
	rfs_lifetimes_reset(&atomicity->run, &atomicity->lifetimes, event->op.object, event->op.size);
	for (size_t i = 0; i < atomicity->run.n_threads; i++) {
		struct atom_thread *thread = &atomicity->run.threads[i];

		for (size_t k = thread->n_holds; k-- > 0;)
			if (thread->holds[k].lock - event->op.object < event->op.size)
				remove_hold(atomicity, thread, &thread->holds[k]);
	}
	rfs_sections_reset(&atomicity->run, &atomicity->pairs, event->op.object, event->op.size);
}

void rfs_atomicity_event(struct rfs_atomicity_graph *atomicity, const struct rfs_event *event)
{
	switch (event->kind) {
	case RFS_EVENT_OP:
		atomicity_detector_thread_of(atomicity, event->thread)->last = event->op.kind;
		if (event->op.kind == RFS_OP_COND_WAIT || event->op.kind == RFS_OP_COND_SIGNAL ||
		    event->op.kind == RFS_OP_COND_BROADCAST)
			add_signalling(atomicity, event);
		if (event->op.kind == RFS_OP_EXIT)
			rfs_stack_lifetimes_end(&atomicity->run, &atomicity->stacks, event->thread);
		rfs_lifetimes_op(&atomicity->run, &atomicity->lifetimes, event);
		break;
	case RFS_EVENT_ACCESS:
		rfs_atomicity_accesses(
			atomicity, event->thread,
			&(struct rfs_access){event->op.site, event->op.object, event->op.size, event->op.access}, 1);
		break;
	case RFS_EVENT_ACQUIRE:
		rfs_stack_lifetimes_acquire(&atomicity->stacks, event);
		atomicity_acquire(atomicity, event);
		break;
	case RFS_EVENT_RELEASE:
		atomicity_release(atomicity, event);
		break;
	case RFS_EVENT_SEND:
		rfs_hb_send(&atomicity->run.hb, event->thread, event->message);
		rfs_atom_end_clock(atomicity_detector_thread_of(atomicity, event->thread));
		break;
	case RFS_EVENT_RECEIVE:
		rfs_hb_receive(&atomicity->run.hb, event->thread, event->message);
		rfs_atom_end_clock(atomicity_detector_thread_of(atomicity, event->thread));
		break;
	case RFS_EVENT_FORGET:
		rfs_hb_forget(&atomicity->run.hb, event->message);
		break;
	case RFS_EVENT_RESET:
		atomicity_reset(atomicity, event);
		break;
	case RFS_EVENT_THREAD:
		rfs_hb_thread(&atomicity->run.hb, event->thread, event->op.peer);
		rfs_atom_end_clock(atomicity_detector_thread_of(atomicity, event->thread));
		if (event->op.peer >= 0)
			rfs_atom_end_clock(atomicity_detector_thread_of(atomicity, event->op.peer));
		break;
	case RFS_EVENT_LAST_DROP:
	case RFS_EVENT_LEFT:
		break;
	}
}

void rfs_atomicity_fd_call(struct rfs_atomicity_graph *atomicity, const struct rfs_fd_call *call)
{
	rfs_fd_lifetimes_call(&atomicity->run, &atomicity->fds, call);
}

void rfs_atomicity_stack(struct rfs_atomicity_graph *atomicity, const struct rfs_thread_stack *stack)
{
	rfs_stack_lifetimes_begin(&atomicity->run, &atomicity->stacks, stack);
}

/* ---- the end ---- */

static int atomicity_compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_found(const void *a, const void *b)
{
	const struct atom_found *const *x = a, *const *y = b;
	const struct rfs_atomicity_violation *v = &(*x)->violation, *w = &(*y)->violation;
	int order = atomicity_compare_numbers(v->rank, w->rank);

	if (!order)
		order = atomicity_compare_numbers(v->distance, w->distance);
	for (size_t i = 0; i < sizeof((*x)->key.sections) / sizeof(*(*x)->key.sections) && !order; i++)
		order = atomicity_compare_numbers((*x)->key.sections[i], (*y)->key.sections[i]);
	return order;
}

bool rfs_atomicity_report(struct rfs_atomicity_graph *atomicity, rfs_atomicity_emit *emit, void *arg)
{
	struct atom_cell *cell, *next;
	struct atom_found *found, **list;
	size_t n = 0, emitted[2] = {0, 0};
	bool is_cut;

	HASH_ITER (hh, atomicity->cells, cell, next)
		end_cell(atomicity, cell, true);
	rfs_sections_search(&atomicity->run, &atomicity->pairs);
	is_cut = atomicity->run.is_full;
	list = rfs_policy_zalloc(HASH_COUNT(atomicity->run.found) + 1, sizeof(struct atom_found *));
	for (found = atomicity->run.found; found; found = found->hh.next)
		list[n++] = found;
	qsort(list, n, sizeof(*list), compare_found);
	for (size_t i = 0; i < n; i++) {
		const bool order = rfs_atomicity_is_order(list[i]->violation.pattern);

		if (emitted[order]++ < (order ? RFS_ORDER_VIOLATIONS_MAX : RFS_ATOMICITY_MAX))
			emit(arg, &list[i]->violation);
		else
			is_cut = true;
	}
	free(list);
	return !is_cut;
}

static void atomicity_free_page(void *arg, uint64_t number, void *page)
{
	(void)arg;
	(void)number;
	free(page);
}

void rfs_atomicity_free(struct rfs_atomicity_graph *atomicity)
{
	struct atom_cell *cell, *next;

	HASH_ITER (hh, atomicity->cells, cell, next)
		end_cell(atomicity, cell, false);
	rfs_sections_release(&atomicity->pairs);
	rfs_pagemap_range(&atomicity->pages, 0, UINT64_MAX, atomicity_free_page, NULL);
	rfs_pagemap_release(&atomicity->pages);
	rfs_lifetimes_release(&atomicity->lifetimes);
	rfs_fd_lifetimes_release(&atomicity->fds);
	rfs_stack_lifetimes_release(&atomicity->stacks);
	rfs_atom_run_release(&atomicity->run);
	free(atomicity);
}
