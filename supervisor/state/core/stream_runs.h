/*
 * stream_runs.h - joins the records of a loop into runs, so that the detector's thread gets one record for many
 * elements of an array.
 *
 * A run is several accesses of one site by one thread, each at the same distance from the one before it. Between two
 * events or frees, the order of such accesses does not matter to the first of two passes (policy/passes.h). So the
 * records of several sites may be mixed: a loop has a run for each of its statements.
 */
#ifndef RFS_STREAM_RUNS_H
#define RFS_STREAM_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "supervisor/state/core/stream.h"

/* How many runs may grow at the same time: the number of statements in most inner loops. */
#define RFS_STREAM_RUNS 128

struct rfs_stream_run {
	rfs_addr first, last;
	int64_t distance; /* if n > 1 */
	uint32_t site, n; /* n 0: no run is here */
};

struct rfs_stream_runs {
	struct rfs_stream_run growing[RFS_STREAM_RUNS]; /* by site, modulo their number */
	uint8_t used[RFS_STREAM_RUNS];			/* indices of the elements that were used since the last end */
	size_t n_used;
};

static inline struct rfs_stream_record rfs_stream_run_record(const struct rfs_stream_run *run)
{
	return (struct rfs_stream_record){run->first, run->site, rfs_stream_run_extra(run->n, run->distance)};
}

/* Adds an access of a site with a size. Writes the record of a run that ends to *out, and returns how many these are: 0
 * or 1. Zeroed memory has no runs. */
static inline size_t rfs_stream_runs_add(struct rfs_stream_runs *runs, rfs_addr address, uint32_t site,
					 struct rfs_stream_record *out)
{
	struct rfs_stream_run *run = &runs->growing[site % RFS_STREAM_RUNS];
	const int64_t distance = (int64_t)(address - run->last);
	size_t ended = 0;

	if (run->n && run->site == site && run->n < RFS_STREAM_RUN_MOST &&
	    (run->n > 1 ? distance == run->distance
			: distance >= -RFS_STREAM_RUN_FAR && distance <= RFS_STREAM_RUN_FAR)) {
		run->distance = distance;
		run->last = address;
		run->n++;
		return 0;
	}
	if (run->n) {
		*out = rfs_stream_run_record(run);
		ended = 1;
	} else {
		runs->used[runs->n_used++] = (uint8_t)(site % RFS_STREAM_RUNS);
	}
	*run = (struct rfs_stream_run){.first = address, .last = address, .site = site, .n = 1};
	return ended;
}

/* Ends all runs. Writes their records to out, at most as many as accesses were added without a record, and returns how
 * many these are. */
static inline size_t rfs_stream_runs_end(struct rfs_stream_runs *runs, struct rfs_stream_record *out)
{
	const size_t n = runs->n_used;

	for (size_t i = 0; i < n; i++) {
		struct rfs_stream_run *run = &runs->growing[runs->used[i]];

		out[i] = rfs_stream_run_record(run);
		run->n = 0;
	}
	runs->n_used = 0;
	return n;
}

#endif
