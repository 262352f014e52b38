/*
 * gdb_count.c - stubs for breakpoints. A breakpoint in a loop may be hit a million times before its goal. So after a
 * few stops it gets a stub (rfs_stubs_add_count()), which lets as many hits pass as cannot be the goal.
 */
#include "supervisor/gdb/gdb_count.h"

#include "disasm/addr.h"
#include "supervisor/access/stubs.h"
#include "supervisor/gdb/gdb-priv.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "tracer/breakpoint.h"
#include "tracer/patch.h"
#include "tracer/stub_buffer.h"
#include "tracer/tracer.h"

/* A stub is made after this many stops. To make one takes as long as many stops. */
#define STOPS 16

uint64_t rfs_gdb_stopped(const struct rfs_run *run)
{
	return run->gdb ? run->gdb->stops : 0;
}

static bool is_free(const struct rfs_gdb *gdb, int counter)
{
	for (size_t i = 0; i < gdb->n_points; i++)
		if (gdb->points[i].counter == counter)
			return false;
	return true;
}

void rfs_gdb_count_stop(struct rfs_run *run, struct rfs_thread *thread, struct rfs_gdb_point *point)
{
	int counter = 1;

	if (point->counter || ++point->passed < STOPS)
		return;
	while (counter <= RFS_STUB_COUNTS && !is_free(run->gdb, counter))
		counter++;
	point->counter = -1;
	if (counter <= RFS_STUB_COUNTS && rfs_stubs_add_count(run, thread, point->address, (unsigned)counter - 1))
		point->counter = counter;
	if (point->counter < 0 && !point->wanted && rfs_gdb_travel_forgets(run->gdb, point->address)) {
		rfs_breakpoint_remove(rfs_task_space(thread->task), point->breakpoint);
		point->breakpoint = NULL;
		point->gone = true;
	}
}

/*
 * In a search, each point of the user may be the last event. If several of them pass, the order is not known. So only
 * the one that has stopped most may pass.
 */
static bool is_hottest(const struct rfs_gdb *gdb, const struct rfs_gdb_point *point)
{
	for (size_t i = 0; i < gdb->n_points; i++) {
		const struct rfs_gdb_point *other = &gdb->points[i];

		if (other != point && other->wanted && other->counter > 0 &&
		    (other->passed > point->passed || (other->passed == point->passed && other < point)))
			return false;
	}
	return true;
}

static uint64_t may_pass(const struct rfs_gdb *gdb, const struct rfs_gdb_point *point)
{
	/* a hook of the run needs each stop */
	if (!point->breakpoint || rfs_breakpoint_data(point->breakpoint))
		return 0;
	if (gdb->travel.mode == RFS_TRAVEL_SEARCH && point->wanted && !is_hottest(gdb, point))
		return 0;
	return rfs_gdb_travel_may_pass(gdb, point->address, point->hits);
}

void rfs_gdb_count_lend(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_gdb *gdb = run->gdb;

	gdb->counted = NULL;
	if (!rfs_gdb_travels(gdb))
		return;
	for (size_t i = 0; i < gdb->n_points; i++) {
		const struct rfs_gdb_point *point = &gdb->points[i];
		uint64_t *given = point->counter > 0 ? &gdb->given[point->counter - 1] : NULL;

		if (!given)
			continue;
		*given = may_pass(gdb, point);
		if (rfs_stub_buffer_pass(thread->task, RFS_STUB_HOT + (unsigned)point->counter - 1, *given, false))
			gdb->counted = thread->task;
	}
}

void rfs_gdb_count_end(struct rfs_run *run)
{
	struct rfs_space *space = rfs_run_space(run);

	for (size_t i = 0; i < run->gdb->n_points && space; i++) {
		struct rfs_gdb_point *point = &run->gdb->points[i];

		if (point->counter <= 0)
			continue;
		rfs_patches_remove(space, point->address, point->address + 1);
		point->counter = 0;
		point->passed = 0;
	}
}

void rfs_gdb_count_take(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_gdb *gdb = run->gdb;

	if (!gdb->counted || gdb->counted != thread->task)
		return;
	gdb->counted = NULL;
	for (size_t i = 0; i < gdb->n_points; i++) {
		struct rfs_gdb_point *point = &gdb->points[i];
		const uint64_t given = point->counter > 0 ? gdb->given[point->counter - 1] : 0;
		const uint64_t left =
			given ? rfs_stub_buffer_passes(thread->task, RFS_STUB_HOT + (unsigned)point->counter - 1) : 0;

		/* do not trust the number, because the target can write to its control block */
		if (left >= given)
			continue;
		point->hits += given - left;
		point->since_stop += given - left;
		point->all_hits += given - left;
		rfs_gdb_travel_skip(gdb, thread, point, given - left);
	}
}
