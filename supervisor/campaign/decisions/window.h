/*
 * window.h - which part of a program a predicting run looks at, if the whole is too much for the budget.
 *
 * The first predicting run is cut, and has looked at the first part. A later one has its detector for a window only: as
 * many operations as half of what the first one came to. Outside of it, operations count, but not accesses of memory,
 * so the run has a chance to reach its end. The last run has the window at the end of the program, where threads end
 * and objects are destroyed; the others at a random place.
 */
#ifndef RFS_DECIDE_WINDOW_H
#define RFS_DECIDE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/record/run_spec.h"
#include "supervisor/report/data/report.h"

/* Those of a campaign. Zeroed: none. */
struct rfs_windows {
	struct rfs_run_window list[RFS_REPORT_PARTS]; /* the first ones */
	size_t n;				      /* of all */
};

/*
 * seed: of the run. seen: how many operations the first run had when it was cut. whole: how many a run has; 0: not
 * known. last: the run is the last one that predicts. until of the window is at least 1.
 */
struct rfs_run_window rfs_decide_window(uint64_t seed, uint64_t seen, uint64_t whole, bool last);

#endif
