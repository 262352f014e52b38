#include "supervisor/record/cycle.h"

#include <stdlib.h>
#include <string.h>

static bool same_place(const struct rfs_place *a, const struct rfs_place *b)
{
	if (!a->module || !b->module)
		return a->module == b->module && a->offset == b->offset;
	return a->offset == b->offset && strcmp(a->module, b->module) == 0;
}

static bool same_lock(const struct rfs_cycle_lock *a, const struct rfs_cycle_lock *b)
{
	return a->class == b->class && same_place(&a->site, &b->site);
}

static bool equal_from(const struct rfs_cycle *a, const struct rfs_cycle *b, size_t first)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct rfs_cycle_part *x = &a->parts[i], *y = &b->parts[(first + i) % b->n];

		if (!same_lock(&x->held, &y->held) || !same_lock(&x->wanted, &y->wanted))
			return false;
	}
	return true;
}

bool rfs_cycle_equal(const struct rfs_cycle *a, const struct rfs_cycle *b)
{
	if (a->n != b->n || a->one_thread != b->one_thread)
		return false;
	for (size_t first = 0; first < a->n; first++)
		if (equal_from(a, b, first))
			return true;
	return false;
}

static void release_lock(struct rfs_cycle_lock *lock)
{
	free(lock->site.module);
	rfs_object_release(&lock->object);
}

void rfs_cycle_release(struct rfs_cycle *cycle)
{
	for (size_t i = 0; i < cycle->n; i++) {
		release_lock(&cycle->parts[i].held);
		release_lock(&cycle->parts[i].wanted);
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
