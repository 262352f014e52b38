/*
 * gdb_points.c - sets and removes gdb's breakpoints. Breakpoints are counted, so a breakpoint of gdb may be at the same
 * address as a breakpoint of the run.
 *
 * To step a thread over a breakpoint, gdb removes all its breakpoints, steps only that thread, and sets them again.
 * Here the schedule may let other threads run during the step, and they must not miss a breakpoint. rfsup can pass a
 * breakpoint without removing it. So a breakpoint that gdb removes stays in the code until all threads continue
 * (rfs_gdb_points_sweep()).
 */
#include <errno.h>

#include "disasm/addr.h"
#include "supervisor/base/alloc.h"
#include "supervisor/gdb/gdb-priv.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/gdb/gdb_threads.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "tracer/breakpoint.h"

struct rfs_gdb_point *rfs_gdb_point_at(const struct rfs_gdb *gdb, rfs_addr address)
{
	for (size_t i = 0; i < gdb->n_points; i++)
		if (gdb->points[i].address == address)
			return &gdb->points[i];
	return NULL;
}

static struct rfs_gdb_point *points_append(struct rfs_gdb *gdb, rfs_addr address)
{
	gdb->points = xreallocarray(gdb->points, gdb->n_points + 1, sizeof(*gdb->points));
	gdb->points[gdb->n_points] = (struct rfs_gdb_point){.address = address};
	return &gdb->points[gdb->n_points++];
}

/* Any task of the target that is stopped. rfs_breakpoint_add() needs one. */
static struct rfs_task *stopped_task(const struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];

		if (rfs_gdb_shows(t) && t->state != RFS_STATE_KERNEL)
			return t->task;
	}
	return NULL;
}

int rfs_gdb_point_add(struct rfs_run *run, rfs_addr address)
{
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_gdb_point *point = rfs_gdb_point_at(gdb, address);
	struct rfs_task *task = stopped_task(run);
	struct rfs_breakpoint *breakpoint;
	int error;

	if (point && point->breakpoint) {
		point->wanted = true;
		return 0;
	}
	if (!task)
		return -ESRCH;
	error = rfs_breakpoint_add(task, address, &breakpoint);
	if (error)
		return error;
	if (!point)
		point = points_append(gdb, address);
	point->breakpoint = breakpoint;
	point->outside = !rfs_info_at(run, address);
	point->wanted = true;
	return 0;
}

void rfs_gdb_point_lend(struct rfs_gdb *gdb, rfs_addr address)
{
	if (!rfs_gdb_point_at(gdb, address))
		(void)points_append(gdb, address);
}

void rfs_gdb_points_lend(struct rfs_gdb *gdb, const struct rfs_gdb_moment *moment)
{
	for (size_t i = 0; i < moment->n; i++)
		if (moment->legs[i].mark == RFS_MARK_BREAK)
			rfs_gdb_point_lend(gdb, moment->legs[i].address);
}

void rfs_gdb_points_renew(struct rfs_gdb *gdb)
{
	size_t kept = 0;

	for (size_t i = 0; i < gdb->n_points; i++) {
		const struct rfs_gdb_point *point = &gdb->points[i];

		if (point->wanted)
			gdb->points[kept++] = (struct rfs_gdb_point){
				.address = point->address, .outside = point->outside, .wanted = true};
	}
	gdb->n_points = kept;
}

void rfs_gdb_points_plant(struct rfs_run *run, struct rfs_task *task)
{
	for (size_t i = 0; i < run->gdb->n_points; i++) {
		struct rfs_gdb_point *point = &run->gdb->points[i];
		const bool is_there = point->outside ? run->main_reached : rfs_info_at(run, point->address) != NULL;

		if (!point->breakpoint && !point->gone && is_there &&
		    rfs_breakpoint_add(task, point->address, &point->breakpoint))
			point->breakpoint = NULL;
	}
}

void rfs_gdb_points_count(struct rfs_gdb *gdb, bool stop)
{
	for (size_t i = 0; i < gdb->n_points; i++) {
		struct rfs_gdb_point *point = &gdb->points[i];

		point->since_stop = 0;
		if (stop)
			continue;
		point->hits = 0;
		point->whole = true;
	}
}

void rfs_gdb_point_remove(struct rfs_gdb *gdb, rfs_addr address)
{
	struct rfs_gdb_point *point = rfs_gdb_point_at(gdb, address);

	if (point)
		point->wanted = false;
}

struct rfs_gdb_point *rfs_gdb_point_hit(struct rfs_gdb *gdb, rfs_addr address)
{
	struct rfs_gdb_point *point = rfs_gdb_point_at(gdb, address);

	if (point) {
		point->hits++;
		point->since_stop++;
		point->all_hits++;
	}
	return point;
}

void rfs_gdb_points_sweep(struct rfs_run *run)
{
	struct rfs_space *space = rfs_run_space(run);
	struct rfs_gdb *gdb = run->gdb;
	size_t kept = 0;

	for (size_t i = 0; i < gdb->n_points; i++) {
		if (gdb->points[i].wanted)
			gdb->points[kept++] = gdb->points[i];
		else if (space && gdb->points[i].breakpoint)
			rfs_breakpoint_remove(space, gdb->points[i].breakpoint);
	}
	gdb->n_points = kept;
}

void rfs_gdb_forget(struct rfs_run *run, rfs_addr start, rfs_addr end)
{
	struct rfs_gdb *gdb = run->gdb;

	if (!gdb)
		return;
	/* the same code may be mapped again */
	for (size_t i = 0; i < gdb->n_points; i++)
		if (gdb->points[i].address >= start && gdb->points[i].address < end)
			gdb->points[i].breakpoint = NULL;
}
