/* cycle.c - compares cycles, which may begin at any thread, and rotates them to a fixed beginning. */
#include "supervisor/record/cycle.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"

static int cycle_compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_locks(const struct rfs_cycle_lock *a, const struct rfs_cycle_lock *b)
{
	int order = strcmp(a->site.module ? a->site.module : "", b->site.module ? b->site.module : "");

	if (!order)
		order = cycle_compare_numbers(a->site.offset, b->site.offset);
	return order ? order : cycle_compare_numbers(a->class, b->class);
}

/* Compares a, from its part number i on, with b, from its part number k on. Both have n parts. */
static int compare_from(const struct rfs_cycle *a, size_t i, const struct rfs_cycle *b, size_t k, size_t n)
{
	int order = 0;

	for (size_t count = 0; count < n && !order; count++) {
		const struct rfs_cycle_part *x = &a->parts[(i + count) % n], *y = &b->parts[(k + count) % n];

		order = compare_locks(&x->held, &y->held);
		if (!order)
			order = compare_locks(&x->wanted, &y->wanted);
	}
	return order;
}

static size_t first_part(const struct rfs_cycle *cycle)
{
	size_t first = 0;

	for (size_t i = 1; i < cycle->n; i++)
		if (compare_from(cycle, i, cycle, first, cycle->n) < 0)
			first = i;
	return first;
}

int rfs_cycle_compare(const struct rfs_cycle *a, const struct rfs_cycle *b)
{
	if (a->one_thread != b->one_thread)
		return a->one_thread ? 1 : -1;
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	return compare_from(a, first_part(a), b, first_part(b), a->n);
}

void rfs_cycle_rotate(struct rfs_cycle *cycle)
{
	const size_t first = first_part(cycle);
	struct rfs_cycle_part *rotated;

	if (!first)
		return;
	rotated = xcalloc(cycle->n, sizeof(*rotated));
	for (size_t i = 0; i < cycle->n; i++)
		rotated[i] = cycle->parts[(first + i) % cycle->n];
	free(cycle->parts);
	cycle->parts = rotated;
}

static void cycle_take_stack(struct rfs_cycle_lock *lock, struct rfs_cycle_lock *from)
{
	rfs_places_free(lock->stack, lock->n_stack);
	lock->stack = from->stack;
	lock->n_stack = from->n_stack;
	from->stack = NULL;
	from->n_stack = 0;
}

static bool has_all_stacks(const struct rfs_cycle *cycle)
{
	for (size_t i = 0; i < cycle->n; i++)
		if (!cycle->parts[i].wanted.n_stack)
			return false;
	return true;
}

void rfs_cycle_take_stacks(struct rfs_cycle *cycle, struct rfs_cycle *from)
{
	const bool all = has_all_stacks(from);

	if (has_all_stacks(cycle) || from->n != cycle->n)
		return;
	for (size_t i = 0; i < cycle->n; i++) {
		/* another thread may have made this part, and threads may have other numbers in another run */
		if (all)
			cycle->parts[i].thread = from->parts[i].thread;
		else if (cycle->parts[i].thread != from->parts[i].thread || cycle->parts[i].wanted.n_stack)
			continue;
		cycle_take_stack(&cycle->parts[i].held, &from->parts[i].held);
		cycle_take_stack(&cycle->parts[i].wanted, &from->parts[i].wanted);
	}
}

static void cycle_release_lock(struct rfs_cycle_lock *lock)
{
	free(lock->site.module);
	rfs_object_release(&lock->object);
	rfs_places_free(lock->stack, lock->n_stack);
}

void rfs_cycle_release(struct rfs_cycle *cycle)
{
	for (size_t i = 0; i < cycle->n; i++) {
		cycle_release_lock(&cycle->parts[i].held);
		cycle_release_lock(&cycle->parts[i].wanted);
	}
	free(cycle->parts);
	*cycle = (struct rfs_cycle){0};
}

void rfs_cycles_release(struct rfs_cycles *cycles)
{
	for (size_t i = 0; i < cycles->n; i++)
		rfs_cycle_release(&cycles->list[i]);
	free(cycles->list);
	*cycles = (struct rfs_cycles){0};
}
