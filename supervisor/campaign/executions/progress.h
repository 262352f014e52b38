/*
 * progress.h - shows the progress of a campaign: a status line on a terminal, otherwise a line for each finished pair.
 *
 * All lines go to standard error (error.h). With --quiet there are none.
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
	uint64_t total;	       /* runs of the phase, or of all rounds */
	uint64_t round;	       /* its number; 0: the phase has no rounds */
	uint64_t pairs;	       /* for the line of a finished pair */
	uint64_t done;	       /* runs of the phase finished */
	uint64_t findings;     /* pairs created, deadlocks and failures so far */
	uint64_t failures;     /* runs that failed so far */
	double budget_left;    /* seconds; 0: no budget */
	struct timespec start; /* of the phase */
	struct timespec shown; /* when the line was last drawn */
	bool created;	       /* a line has explained the word "created" */
};

/* terminal: standard error is a terminal, and --quiet is not given. */
void rfs_progress_init(struct rfs_progress *progress, bool terminal);
/* Begins a phase of `total` runs. Resets the counts of runs; findings and failures keep their values. */
void rfs_progress_phase(struct rfs_progress *progress, const char *phase, uint64_t total);
/* Begins a round; total: runs of all rounds. The counts of runs continue. */
void rfs_progress_round(struct rfs_progress *progress, uint64_t round, uint64_t total);
/*
 * Draws the status line from the members, which the caller has set. Does nothing if the line was drawn less than 0.1 s
 * ago.
 */
void rfs_progress_update(struct rfs_progress *progress);
/* Prints a line for pair number i, from 1, which is done. Only if there is no terminal. */
void rfs_progress_pair(struct rfs_progress *progress, uint64_t i, const struct rfs_report_pair *pair);
/* Removes the status line. */
void rfs_progress_end(struct rfs_progress *progress);

/* The text of the status line, `seconds` after the start of the phase. It fits on a line of 80 columns. Public for
 * tests. Caller frees. */
char *rfs_progress_line(const struct rfs_progress *progress, double seconds);
/* The line for a finished pair; public for tests. Caller frees. */
char *rfs_progress_pair_line(struct rfs_progress *progress, uint64_t i, const struct rfs_report_pair *pair);

#endif
