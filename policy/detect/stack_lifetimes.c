#include "policy/detect/stack_lifetimes.h"

#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"
#include "policy/core/hb.h"
#include "policy/core/vclock.h"
#include "policy/detect/atomicity-priv.h"
#include "policy/detect/atomicity.h"

/* Threads whose stacks are kept at the same time. */
#define STACKS_MAX (1u << 14)

/* The number of the first stack in the list that begins above the address. */
static size_t first_above(const struct rfs_stack_lifetimes *stacks, rfs_addr address)
{
	size_t low = 0, high = stacks->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (stacks->list[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void remove_stack(struct rfs_stack_lifetimes *stacks, size_t i)
{
	memmove(&stacks->list[i], &stacks->list[i + 1], (stacks->n - i - 1) * sizeof(*stacks->list));
	stacks->n--;
}

void rfs_stack_lifetimes_begin(struct rfs_atomicity_graph *graph, const struct rfs_thread_stack *stack)
{
	struct rfs_stack_lifetimes *stacks = &graph->stacks;
	size_t at;

	if (stack->high <= stack->low)
		return;
	/* threads that were killed have not told of their end */
	for (at = first_above(stacks, stack->high - 1); at > 0 && stacks->list[at - 1].high > stack->low; at--)
		remove_stack(stacks, at - 1);
	if (stacks->n == STACKS_MAX) {
		graph->is_full = true;
		return;
	}
	stacks->list = rfs_policy_grow(stacks->list, &stacks->capacity, stacks->n + 1, sizeof(*stacks->list));
	memmove(&stacks->list[at + 1], &stacks->list[at], (stacks->n - at) * sizeof(*stacks->list));
	stacks->list[at] = *stack;
	if (!stacks->high || stack->low < stacks->low)
		stacks->low = stack->low;
	if (stack->high > stacks->high)
		stacks->high = stack->high;
	stacks->n++;
}

/* Whether the thread holds what it held at the use, since then without a break. */
static bool holds_the_same(const struct rfs_atomicity_graph *graph, const struct rfs_life_use *use)
{
	const struct atom_thread *thread = (size_t)use->thread < graph->n_threads ? &graph->threads[use->thread] : NULL;
	const size_t n = thread ? thread->n_holds : 0;

	if (!n || n > HOLDS_MAX)
		return !n && !use->n_holds;
	return use->n_holds == n && use->holds[n - 1].instance == thread->holds[n - 1].instance;
}

/* Whether nothing has happened since the thread's last use, so that the end can come before both or after both. What an
 * atomic access writes may be what the other thread waits for. */
static bool is_repeated(struct rfs_atomicity_graph *graph, const struct rfs_life *life, int thread)
{
	const struct rfs_life_use *last = NULL;

	for (size_t i = 0; i < life->n_uses; i++)
		if (life->uses[i].thread == thread && (!last || life->uses[i].sequence > last->sequence))
			last = &life->uses[i];
	return last && !(last->access & RFS_ACCESS_ATOMIC) &&
	       last->own == rfs_vclock_get(rfs_hb_clock(&graph->hb, thread), (uint32_t)thread) &&
	       holds_the_same(graph, last);
}

void rfs_stack_lifetimes_use(struct rfs_atomicity_graph *graph, int thread, const struct rfs_access *access)
{
	const struct rfs_stack_lifetimes *stacks = &graph->stacks;
	const size_t above = first_above(stacks, access->address);
	const struct rfs_thread_stack *stack = above ? &stacks->list[above - 1] : NULL;
	const struct rfs_life *life;
	struct rfs_life_use *use;

	if (!stack || access->address >= stack->high || stack->thread == thread)
		return;
	life = rfs_lives_find(&stacks->lives, (uint64_t)stack->thread);
	if (life && is_repeated(graph, life, thread))
		return;
	use = rfs_lives_use(graph, &graph->stacks.lives, STACKS_MAX, (uint64_t)stack->thread, thread, access->site);
	if (!use)
		return;
	use->access = access->access;
	rfs_life_use_holds(graph, use);
}

void rfs_stack_lifetimes_acquire(struct rfs_atomicity_graph *graph, const struct rfs_event *event)
{
	const struct atom_hold hold = {.lock = event->op.object, .shared = event->op.kind == RFS_OP_RDLOCK};
	struct rfs_life *life = rfs_lives_find(&graph->stacks.lives, (uint64_t)event->thread);

	for (size_t i = 0; life && i < life->n_uses; i++) {
		struct rfs_life_use *use = &life->uses[i];

		for (size_t k = 0; k < use->n_holds && !(use->awaited && k >= use->awaited - 1); k++)
			if (use->holds[k].lock == hold.lock && rfs_atom_exclude(&use->holds[k], &hold))
				use->awaited = k + 1;
	}
}

static void add_violation(struct rfs_atomicity_graph *graph, const struct rfs_life *life,
			  const struct rfs_life_use *use, const void *arg)
{
	const struct rfs_thread_stack *stack = arg;
	const struct atom_hold *lock = use->awaited ? &use->holds[use->awaited - 1] : NULL;
	const rfs_site acquire = lock ? lock->site : 0;
	const struct atom_key key = {{use->site, acquire, stack->site, 0, RFS_ORDER_USE_EXIT}};
	const struct rfs_atomicity_violation violation = {
		.pattern = RFS_ORDER_USE_EXIT,
		.first = {.site = use->site, .thread = use->thread, .access = use->access},
		.remote = {.site = stack->site, .thread = stack->thread},
		.second = {.site = acquire, .thread = use->thread},
		.address = stack->low,
		.lock = lock ? lock->lock : 0,
		.distance = graph->stacks.lives.sequence - use->sequence,
	};

	(void)life;
	rfs_atom_add(graph, &key, &violation);
}

void rfs_stack_lifetimes_end(struct rfs_atomicity_graph *graph, int thread)
{
	struct rfs_stack_lifetimes *stacks = &graph->stacks;
	struct rfs_life *life = rfs_lives_find(&stacks->lives, (uint64_t)thread);

	for (size_t i = 0; i < stacks->n; i++) {
		const struct rfs_thread_stack stack = stacks->list[i];

		if (stack.thread != thread)
			continue;
		if (life)
			rfs_lives_end(graph, &stacks->lives, life, thread, stack.site, add_violation, &stack);
		remove_stack(stacks, i);
		return;
	}
}

void rfs_stack_lifetimes_release(struct rfs_stack_lifetimes *stacks)
{
	rfs_lives_release(&stacks->lives);
	free(stacks->list);
}
