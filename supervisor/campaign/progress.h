/*
 * progress.h - what a campaign says while it works: one line that is overwritten on a terminal, else a plain line a
 * finished pair. Goes to standard error through error.h; says nothing with --quiet.
 */
#ifndef RFS_PROGRESS_H
#define RFS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct rfs_report_pair;

struct rfs_progress {
	bool terminal;
	const char *phase;     /* borrowed */
	uint64_t total;	       /* runs of the phase */
	uint64_t pair, pairs;  /* pair i of n; pairs 0: the phase has none */
	uint64_t done;	       /* runs of the phase finished */
	uint64_t confirmed;    /* pairs created so far */
	uint64_t failures;     /* runs that failed so far */
	double budget_left;    /* seconds; 0: no budget */
	struct timespec start; /* of the phase */
	struct timespec shown; /* when the line was last drawn */
};

/* terminal: isatty(2) and not quiet. */
void rfs_progress_init(struct rfs_progress *progress, bool terminal);
/* A phase of `total` runs begins; counts of runs start again, confirmed and failures go on. */
void rfs_progress_phase(struct rfs_progress *progress, const char *phase, uint64_t total, uint64_t pairs);
/* Draws the line from the fields, which the caller has set; at most ten times a second. */
void rfs_progress_update(struct rfs_progress *progress);
/* Pair number i of n (from 1) is done: a plain line where there is no terminal. */
void rfs_progress_pair(struct rfs_progress *progress, uint64_t i, const struct rfs_report_pair *pair);
/* Takes the line away. */
void rfs_progress_end(struct rfs_progress *progress);

/* The line, for tests: what is drawn `seconds` into the phase. Caller frees. */
char *rfs_progress_line(const struct rfs_progress *progress, double seconds);
/* The plain line of a pair. Caller frees. */
char *rfs_progress_pair_line(const struct rfs_progress *progress, uint64_t i, const struct rfs_report_pair *pair);

#endif
