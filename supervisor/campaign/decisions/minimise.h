/*
 * minimise.h - delta debugging of the choices of a run (Zeller & Hildebrandt, TSE 2002, algorithm ddmin; for
 * schedules: Choi & Zeller, ISSTA 2002).
 *
 * The policy "schedule" lets the current thread run as long as it can. A run is described by the set of its choices
 * that differ from this. Each subset is also a schedule, with fewer switches, and can be executed. The search removes
 * choices as long as the failure still shows. The result is 1-minimal: if any one of the remaining choices is removed,
 * the failure does not show. The same holds for any two of them if few remain, otherwise for two that are close
 * together.
 */
#ifndef RFS_MINIMISE_H
#define RFS_MINIMISE_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_blob;
struct rfs_directive;
struct rfs_execution;
struct rfs_run_result;

/* After this many failed attempts to remove two choices at once, the search ends. */
#define RFS_MINIMISE_TWO 100

struct rfs_choices {
	struct rfs_directive *list;
	size_t n;
};

struct rfs_minimise {
	/* Makes a run with these choices. True if the failure shows. */
	bool (*shows)(void *arg, const struct rfs_choices *choices);
	/* True if no more runs may be made. The choices that remain are then the result, which is not 1-minimal. */
	bool (*over)(void *arg);
	void *arg;
};

/* The choices of a run whose spec had wanted.schedule set. Caller frees the list. */
struct rfs_choices rfs_choices_of(const struct rfs_run_result *result);
/* A copy of the choices without list[from] to list[to - 1]. Caller frees the list. */
struct rfs_choices rfs_choices_without(const struct rfs_choices *all, size_t from, size_t to);
/* Makes the policy of the execution "schedule" with these choices. The execution borrows the choices and blob. */
void rfs_choices_follow(const struct rfs_choices *choices, struct rfs_blob *blob, struct rfs_execution *out);
/* Removes choices as long as the failure still shows. With all choices, it must show. */
void rfs_minimise(const struct rfs_minimise *minimise, struct rfs_choices *choices);

/*
 * Whether b shows what a shows: the race that a created, if any, and the same failure in the same function of the
 * program, if a failed. A failure alone is not enough: a program may fail in each run, with the race or without.
 */
bool rfs_shows_the_same(const struct rfs_run_result *a, const struct rfs_run_result *b);

#endif
