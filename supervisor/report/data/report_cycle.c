/* report_cycle.c - predicted deadlocks in a report, as data. */
#include "supervisor/report/data/report_cycle.h"

#include <stdlib.h>

#include "supervisor/base/alloc.h"

struct rfs_report_cycle *rfs_report_add_cycle(struct rfs_report_cycles *cycles, size_t n_parts)
{
	struct rfs_report_cycle *added;

	cycles->list = xreallocarray(cycles->list, cycles->n + 1, sizeof(*cycles->list));
	added = &cycles->list[cycles->n++];
	*added = (struct rfs_report_cycle){.parts = xcalloc(n_parts, sizeof(*added->parts)), .n_parts = n_parts};
	return added;
}

static void report_cycle_release_lock(struct rfs_report_lock *lock)
{
	free(lock->name);
	if (lock->place)
		rfs_source_place_release(lock->place);
	free(lock->place);
	rfs_source_stack_release(&lock->stack);
}

void rfs_report_cycles_release(struct rfs_report_cycles *cycles)
{
	for (size_t i = 0; i < cycles->n; i++) {
		for (size_t k = 0; k < cycles->list[i].n_parts; k++) {
			report_cycle_release_lock(&cycles->list[i].parts[k].held);
			report_cycle_release_lock(&cycles->list[i].parts[k].wanted);
		}
		free(cycles->list[i].parts);
	}
	free(cycles->list);
	*cycles = (struct rfs_report_cycles){0};
}

uint64_t rfs_report_cycles_predicted(const struct rfs_report_cycles *cycles)
{
	uint64_t predicted = 0;

	for (size_t i = 0; i < cycles->n; i++)
		predicted += !cycles->list[i].one_thread && !cycles->list[i].suppressed;
	return predicted;
}

bool rfs_report_cycles_unconfirmed(const struct rfs_report_cycles *cycles)
{
	for (size_t i = 0; i < cycles->n; i++)
		if (!cycles->list[i].created && !cycles->list[i].suppressed)
			return true;
	return false;
}

uint64_t rfs_report_cycles_created(const struct rfs_report_cycles *cycles)
{
	uint64_t created = 0;

	for (size_t i = 0; i < cycles->n; i++)
		created += cycles->list[i].created > 0;
	return created;
}

uint64_t rfs_report_cycles_inversions(const struct rfs_report_cycles *cycles)
{
	uint64_t inversions = 0;

	for (size_t i = 0; i < cycles->n; i++)
		inversions += cycles->list[i].one_thread && !cycles->list[i].suppressed;
	return inversions;
}
