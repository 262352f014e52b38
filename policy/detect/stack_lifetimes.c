/* stack_lifetimes.c - keeps the first accesses of other threads to each stack, until the thread of the stack ends. */
#include "policy/detect/stack_lifetimes.h"

#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"
#include "policy/detect/atom_run.h"
#include "policy/detect/atomicity_pattern.h"
#include "policy/policy.h"

/* Threads whose stacks are kept at the same time. */
#define STACKS_MAX (1u << 14)
/* Many of these accesses are ordered by an atomic variable or a value under a lock, which prediction does not see. */
#define RANK 1

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

void rfs_stack_lifetimes_begin(struct atom_run *run, struct rfs_stack_lifetimes *stacks,
			       const struct rfs_thread_stack *stack)
{
	size_t at;

	if (stack->high <= stack->low)
		return;
	/* threads that were killed have sent no event of their end */
	for (at = first_above(stacks, stack->high - 1); at > 0 && stacks->list[at - 1].high > stack->low; at--)
		remove_stack(stacks, at - 1);
	if (stacks->n == STACKS_MAX) {
		run->is_full = true;
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

const struct rfs_thread_stack *rfs_stack_lifetimes_find(const struct rfs_stack_lifetimes *stacks, int thread,
							rfs_addr address)
{
	const size_t above = first_above(stacks, address);
	const struct rfs_thread_stack *stack = above ? &stacks->list[above - 1] : NULL;

	return stack && address < stack->high && stack->thread != thread ? stack : NULL;
}

/* Whether nothing has happened in the thread since its last use of the stack. */
static bool stack_lifetimes_is_repeated(const struct rfs_life *life, int thread, uint64_t changes)
{
	for (size_t i = 0; life && i < life->n_uses; i++)
		if (life->uses[i].thread == thread && life->uses[i].changes == changes)
			return true;
	return false;
}

void rfs_stack_lifetimes_use(struct atom_run *run, struct rfs_stack_lifetimes *stacks, int thread,
			     const struct rfs_access *access)
{
	const struct rfs_thread_stack *stack = rfs_stack_lifetimes_find(stacks, thread, access->address);
	const uint64_t changes = run->threads[thread].changes;
	struct rfs_life_use *use;

	if (!stack ||
	    stack_lifetimes_is_repeated(rfs_life_uses_find(&stacks->lives, (uint64_t)stack->thread), thread, changes))
		return;
	use = rfs_life_uses_use(run, &stacks->lives, STACKS_MAX, (uint64_t)stack->thread, thread, access->site);
	if (!use)
		return;
	use->access = access->access;
	use->changes = changes;
	rfs_life_use_holds(run, use);
}

void rfs_stack_lifetimes_acquire(struct rfs_stack_lifetimes *stacks, const struct rfs_event *event)
{
	const struct atom_hold hold = {.lock = event->op.object, .shared = event->op.kind == RFS_OP_RDLOCK};
	struct rfs_life *life = rfs_life_uses_find(&stacks->lives, (uint64_t)event->thread);

	for (size_t i = 0; life && i < life->n_uses; i++) {
		struct rfs_life_use *use = &life->uses[i];

		for (size_t k = 0; k < use->n_holds && !(use->awaited && k >= use->awaited - 1); k++)
			if (use->holds[k].lock == hold.lock && rfs_atom_exclude(&use->holds[k], &hold))
				use->awaited = k + 1;
	}
}

static void stack_lifetimes_add_violation(struct atom_run *run, const struct rfs_life_uses *lives,
					  const struct rfs_life *life, const struct rfs_life_use *use, const void *arg)
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
		.rank = RANK,
		.distance = lives->sequence - use->sequence,
	};

	(void)life;
	rfs_atom_add(run, &key, &violation);
}

void rfs_stack_lifetimes_end(struct atom_run *run, struct rfs_stack_lifetimes *stacks, int thread)
{
	struct rfs_life *life = rfs_life_uses_find(&stacks->lives, (uint64_t)thread);

	for (size_t i = 0; i < stacks->n; i++) {
		const struct rfs_thread_stack stack = stacks->list[i];

		if (stack.thread != thread)
			continue;
		if (life)
			rfs_life_uses_end(run, &stacks->lives, life, thread, stack.site, stack_lifetimes_add_violation,
					  &stack);
		remove_stack(stacks, i);
		return;
	}
}

void rfs_stack_lifetimes_release(struct rfs_stack_lifetimes *stacks)
{
	rfs_life_uses_release(&stacks->lives);
	free(stacks->list);
}
