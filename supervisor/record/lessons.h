/*
 * lessons.h - lessons: what a run found out that the next run must know at its start.
 *
 * A run is a function of its spec. If a run finds a lesson, it ends with RFS_END_RESTART, and the lesson goes into
 * the spec of the next run.
 */
#ifndef RFS_LESSONS_H
#define RFS_LESSONS_H

#include <stdbool.h>

#include "supervisor/base/siteset.h"
#include "supervisor/model/word_lock.h"

struct rfs_run_result;
struct rfs_run_lessons;

/* Zeroed: no lessons. Call rfs_lessons_release() at the end. */
struct rfs_lessons {
	/*
	 * Also sites of word locks (model/word_lock.h), and the process to control. Their module has a prefix, see
	 * rfs_lesson_of_lock() and rfs_lesson_of_process().
	 */
	struct rfs_site_set spin; /* reads that spin: the next run treats them as spin reads */
	bool traps_rdtsc;	  /* rdtsc must trap (access/tsc_insns.c) */
};

/* Adds the lessons in `other`. True if any of them was new. */
bool rfs_lessons_join(struct rfs_lessons *lessons, const struct rfs_lessons *other);
/* Adds the lesson of a run that ended with RFS_END_RESTART. True if the lesson was new. */
bool rfs_lessons_learn(struct rfs_lessons *lessons, const struct rfs_run_result *result);
/* Adds the lessons in a spec. */
void rfs_lessons_take(struct rfs_lessons *lessons, const struct rfs_run_lessons *spec);
/* Stores the lessons in a spec. The spec then points to memory that `lessons` owns. */
void rfs_lessons_give(const struct rfs_lessons *lessons, struct rfs_run_lessons *spec);
/* Whether both contain the same lessons. */
bool rfs_lessons_equal(const struct rfs_lessons *a, const struct rfs_lessons *b);
/* Frees what lessons owns. */
void rfs_lessons_release(struct rfs_lessons *lessons);

/* The module of a lesson about a site of a word lock, such as "[lock]/bin/x". The caller frees it. */
char *rfs_lesson_about_lock(const char *module, enum rfs_word_role role);
/* The role, and the module without prefix. RFS_WORD_UNKNOWN: the lesson is about something else. */
enum rfs_word_role rfs_lesson_of_lock(const char *lesson, const char **module);

/* The module of the lesson that the process with this path (run/stops/processes.h) is to be controlled. The caller
 * frees it. */
char *rfs_lesson_about_process(const char *path);
/* The path in the first such lesson. NULL: there is none. */
const char *rfs_lesson_of_process(const struct rfs_run_lessons *spec);
/* The module of the lesson that processes which the program forks are scheduled with it, because they share memory. The
 * caller frees it. */
char *rfs_lesson_about_family(void);
/* Whether there is such a lesson. */
bool rfs_lesson_of_family(const struct rfs_run_lessons *spec);

#endif
