/*
 * lessons.h - what runs are started with because an earlier run found it out, and ended with RFS_END_RESTART.
 *
 * A run is a function of its spec, so what it learns on its way goes into the spec of the next.
 */
#ifndef RFS_LESSONS_H
#define RFS_LESSONS_H

#include <stdbool.h>

#include "supervisor/base/siteset.h"

struct rfs_run_result;
struct rfs_run_spec;

/* Zero: nothing was learnt. rfs_lessons_release(). */
struct rfs_lessons {
	struct rfs_site_set spin; /* these reads spin */
	bool traps_rdtsc;	  /* rdtsc has to trap (tsc_insns.c) */
};

/* Adds all of other. True if there was anything new. */
bool rfs_lessons_join(struct rfs_lessons *lessons, const struct rfs_lessons *other);
/* Adds what a run asks to be started with. True if there was anything new. */
bool rfs_lessons_learn(struct rfs_lessons *lessons, const struct rfs_run_result *result);
/* Adds what a spec has. */
void rfs_lessons_take(struct rfs_lessons *lessons, const struct rfs_run_spec *spec);
/* Puts them into a spec, which borrows from lessons. */
void rfs_lessons_give(const struct rfs_lessons *lessons, struct rfs_run_spec *spec);
bool rfs_lessons_equal(const struct rfs_lessons *a, const struct rfs_lessons *b);
void rfs_lessons_release(struct rfs_lessons *lessons);

#endif
