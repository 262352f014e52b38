/*
 * lessons.h - what a run found out, ended with RFS_END_RESTART, and wants to be started with next time.
 *
 * A run is a function of its spec, so what it learns goes into the spec of the next run.
 */
#ifndef RFS_LESSONS_H
#define RFS_LESSONS_H

#include <stdbool.h>

#include "supervisor/base/siteset.h"

struct rfs_run_result;
struct rfs_run_spec;

/* Zero: nothing was learnt. Call rfs_lessons_release() at the end. */
struct rfs_lessons {
	struct rfs_site_set spin; /* these reads spin */
	bool traps_rdtsc;	  /* rdtsc has to trap (tsc_insns.c) */
};

/* Adds everything in other. True if anything was new. */
bool rfs_lessons_join(struct rfs_lessons *lessons, const struct rfs_lessons *other);
/* Adds what the run's result asks for. True if anything was new. */
bool rfs_lessons_learn(struct rfs_lessons *lessons, const struct rfs_run_result *result);
/* Adds what the spec has. */
void rfs_lessons_take(struct rfs_lessons *lessons, const struct rfs_run_spec *spec);
/* Stores the lessons in a spec, which borrows from lessons. */
void rfs_lessons_give(const struct rfs_lessons *lessons, struct rfs_run_spec *spec);
/* Whether both contain the same. */
bool rfs_lessons_equal(const struct rfs_lessons *a, const struct rfs_lessons *b);
/* Frees what lessons owns. */
void rfs_lessons_release(struct rfs_lessons *lessons);

#endif
