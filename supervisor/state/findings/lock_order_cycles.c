/* lock_order_cycles.c - the deadlocks that a run predicts, and where threads are in the one under test. */
#include <stdlib.h>
#include <string.h>

#include "policy/core/cycle_place.h"
#include "policy/detect/lock_graph.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/record/cycle.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stable_names.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/evidence.h"
#include "supervisor/state/findings/lock_order-priv.h"
#include "supervisor/state/findings/lock_order.h"

/* At most this many stacks are taken to describe a deadlock under test. A loop may acquire its locks again and again.
 */
#define LOOKS_MAX 1000

void rfs_lock_order_open(struct rfs_run *run)
{
	if (!run->spec->detector && !run->spec->plan.cycle)
		return;
	run->lock_order = xcalloc(1, sizeof(*run->lock_order));
	run->lock_order->graph = rfs_lock_graph_new();
	run->lock_order->class_of = rfs_lock_class;
}

void rfs_lock_order_close(struct rfs_run *run)
{
	struct rfs_lock_order *order = run->lock_order;

	if (!order)
		return;
	rfs_lock_graph_free(order->graph);
	for (size_t i = 0; i < order->n_places; i++) {
		if (order->places[i])
			rfs_places_free(order->places[i]->outer.stack, order->places[i]->outer.n);
		free(order->places[i]);
	}
	free(order->places);
	free(order->described);
	free(order);
	run->lock_order = NULL;
}

/* ---- prediction ---- */

static void describe_request(const struct rfs_run *run, const struct rfs_lock_request *request,
			     struct rfs_cycle_lock *out)
{
	*out = (struct rfs_cycle_lock){.class = request->class, .word = request->how & RFS_LOCK_IS_WORD};
	if (!request->lock)
		return;
	rfs_place_of(run, rfs_site_address(run, request->site), &out->site);
	rfs_describe_lock(run, request->lock, &out->object);
}

static struct rfs_cycle *lock_order_cycles_add_cycle(struct rfs_run *run, const struct rfs_lock_cycle_part *parts,
						     size_t n)
{
	struct rfs_cycles *cycles = &run->result->cycles;
	struct rfs_cycle *cycle;

	cycles->list = xreallocarray(cycles->list, cycles->n + 1, sizeof(*cycles->list));
	cycle = &cycles->list[cycles->n++];
	*cycle = (struct rfs_cycle){.parts = xcalloc(n, sizeof(*cycle->parts)), .n = n};
	for (size_t i = 0; i < n; i++) {
		cycle->parts[i].thread = parts[i].thread;
		describe_request(run, &parts[i].held, &cycle->parts[i].held);
		describe_request(run, &parts[i].wanted, &cycle->parts[i].wanted);
	}
	return cycle;
}

static void lock_order_cycles_take_cycle(void *arg, const struct rfs_lock_cycle_part *parts, size_t n)
{
	(void)lock_order_cycles_add_cycle(arg, parts, n);
}

static void take_inversion(void *arg, const struct rfs_lock_cycle_part *parts, size_t n)
{
	lock_order_cycles_add_cycle(arg, parts, n)->one_thread = true;
}

void rfs_lock_order_predicted(struct rfs_run *run)
{
	if (!run->lock_order || !run->spec->detector)
		return;
	run->result->cycles_cut = !rfs_lock_graph_cycles(run->lock_order->graph, lock_order_cycles_take_cycle, run);
	rfs_lock_graph_inversions(run->lock_order->graph, take_inversion, run);
}

/* ---- the cycle under test ---- */

static bool lock_order_cycles_is_at(const struct rfs_run *run, rfs_site site, const struct rfs_place *place)
{
	const rfs_addr address = rfs_site_address(run, site);
	const struct rfs_module_info *info = rfs_info_at(run, address);

	return info && place->module && address - info->bias == place->offset && strcmp(info->path, place->module) == 0;
}

static bool is_lock(const struct rfs_run *run, rfs_addr lock, rfs_site site, const struct rfs_cycle_lock *expected)
{
	return lock_order_cycles_is_at(run, site, &expected->site) &&
	       (!expected->class || rfs_lock_class(run, lock) == expected->class);
}

/* The lock that the operation is about to acquire; 0: it acquires none. */
static rfs_addr wanted_by(const struct rfs_op *op)
{
	switch (op->kind) {
	case RFS_OP_LOCK:
	case RFS_OP_RDLOCK:
	case RFS_OP_WRLOCK:
	case RFS_OP_TRYLOCK:
	case RFS_OP_SEM_WAIT:
		return op->object;
	case RFS_OP_ACCESS:
		return op->access & RFS_ACCESS_ATOMIC ? op->object : 0;
	case RFS_OP_COND_WAKE:
		return op->object2;
	default:
		return 0;
	}
}

static bool holds_outer(const struct rfs_run *run, const struct rfs_lock_request *held, size_t n,
			const struct rfs_cycle_part *part)
{
	if (!part->held.site.module)
		return true;
	for (size_t i = 0; i < n; i++)
		if (is_lock(run, held[i].lock, held[i].site, &part->held))
			return true;
	return false;
}

static void compute_place(struct rfs_run *run, const struct rfs_thread *thread, struct thread_place *to)
{
	const struct rfs_cycle *cycle = run->spec->plan.cycle;
	const rfs_addr wanted = wanted_by(&thread->next);
	struct rfs_lock_request held[HELD_MAX];
	struct rfs_cycle_place *place = &to->place;

	*place = (struct rfs_cycle_place){.n_parts = (unsigned)cycle->n, .wanted = wanted, .held = to->held};
	if (!wanted)
		return;
	place->n_held = rfs_lock_graph_held(run->lock_order->graph, thread->number, held, HELD_MAX);
	for (size_t i = 0; i < place->n_held; i++)
		to->held[i] = held[i].lock;
	for (size_t i = 0; i < cycle->n; i++) {
		const struct rfs_cycle_part *part = &cycle->parts[i];

		if (!part->held.site.module)
			place->behind |= 1u << i;
		else if (is_lock(run, wanted, thread->next.site, &part->held))
			place->outer |= 1u << i;
		if (is_lock(run, wanted, thread->next.site, &part->wanted) &&
		    holds_outer(run, held, place->n_held, part))
			place->inner |= 1u << i;
	}
}

/* ---- the stacks of the cycle under test ---- */

/* The deadlock under test, as a result that gets the stacks. */
static struct rfs_cycle *described_cycle(struct rfs_run *run)
{
	const struct rfs_cycle *cycle = run->spec->plan.cycle;
	struct rfs_cycles *cycles = &run->result->cycles;

	if (!cycles->n) {
		cycles->list = xcalloc(1, sizeof(*cycles->list));
		cycles->list[cycles->n++] =
			(struct rfs_cycle){.parts = xcalloc(cycle->n, sizeof(*cycle->parts)), .n = cycle->n};
		run->lock_order->described = xcalloc(cycle->n, sizeof(*run->lock_order->described));
	}
	return &cycles->list[0];
}

/* Whether the thread can be that of part i: the locks meet those of the neighbours, which other threads have. */
static bool lock_order_cycles_fits(const struct rfs_lock_order *order, size_t n, size_t i, int thread, rfs_addr held,
				   rfs_addr wanted)
{
	const size_t next = (i + 1) % n, before = (i + n - 1) % n;

	if (order->described[i].thread)
		return false;
	for (size_t k = 0; k < n; k++)
		if (order->described[k].thread == thread + 1)
			return false;
	return (!order->described[next].thread || order->described[next].held == wanted) &&
	       (!order->described[before].thread || order->described[before].wanted == held);
}

static bool holds_lock(const struct rfs_cycle_place *place, rfs_addr lock)
{
	for (size_t i = 0; i < place->n_held; i++)
		if (place->held[i] == lock)
			return true;
	return false;
}

/*
 * Keeps the stacks of a thread that is about to acquire an outer or an inner lock. A wrapper function may acquire all
 * locks of the program at one place, and only its callers tell the parts of the cycle apart.
 */
static void look_at_stack(struct rfs_run *run, struct rfs_thread *thread, struct thread_place *to)
{
	struct rfs_lock_order *order = run->lock_order;
	struct rfs_cycle *cycle = described_cycle(run);
	struct lock_stack *outer = &to->outer;
	struct rfs_place *stack = NULL;
	size_t n = 0;

	if (order->n_looks == LOOKS_MAX)
		return;
	order->n_looks++;
	rfs_stack_places(run, thread, &stack, &n);
	for (size_t i = 0; i < cycle->n; i++) {
		struct rfs_cycle_part *part = &cycle->parts[i];

		if (!(to->place.inner & 1u << i) || !holds_lock(&to->place, outer->lock) ||
		    !lock_order_cycles_fits(order, cycle->n, i, thread->number, outer->lock, to->place.wanted))
			continue;
		order->described[i].thread = thread->number + 1;
		order->described[i].held = outer->lock;
		order->described[i].wanted = to->place.wanted;
		part->thread = thread->number;
		part->held.stack = outer->stack;
		part->held.n_stack = outer->n;
		part->wanted.stack = stack;
		part->wanted.n_stack = n;
		*outer = (struct lock_stack){0};
		return;
	}
	if (!to->place.outer) {
		rfs_places_free(stack, n);
		return;
	}
	rfs_places_free(outer->stack, outer->n);
	*outer = (struct lock_stack){to->place.wanted, stack, n};
}

static struct thread_place *lock_order_cycles_place_of(struct rfs_lock_order *order, int thread)
{
	const size_t number = (size_t)thread;

	while (order->n_places <= number) {
		order->places = xreallocarray(order->places, order->n_places + 1, sizeof(*order->places));
		order->places[order->n_places++] = NULL;
	}
	if (!order->places[number])
		order->places[number] = xcalloc(1, sizeof(*order->places[number]));
	return order->places[number];
}

const struct rfs_cycle_place *rfs_lock_order_place(struct rfs_run *run, struct rfs_thread *thread)
{
	struct thread_place *to;

	if (!run->spec->plan.cycle || !run->lock_order)
		return NULL;
	to = lock_order_cycles_place_of(run->lock_order, thread->number);
	if (!to->known || to->operations != thread->operations || to->kind != thread->next.kind) {
		to->known = true;
		to->operations = thread->operations;
		to->kind = thread->next.kind;
		compute_place(run, thread, to);
		if (run->spec->wanted.stood && (to->place.inner || to->place.outer))
			look_at_stack(run, thread, to);
	}
	return to->place.inner || to->place.outer ? &to->place : NULL;
}
