/* tally.h - sums over the controlled runs of a campaign: counts, modules, processes besides the program, input. */
#ifndef RFS_TALLY_H
#define RFS_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "supervisor/record/nondet.h"
#include "supervisor/record/run_result.h"

struct rfs_baseline;
struct rfs_execution;
struct rfs_symbols;
struct rfs_warnings;

/* Owns what it points to, except the first three members. */
struct rfs_tally {
	struct rfs_symbols *symbols;
	const struct rfs_baseline *baseline;
	struct rfs_warnings *warnings;

	struct rfs_run_module *modules; /* of all runs */
	size_t n_modules;
	char **threaded; /* file names of processes with threads that ran besides the program, each once */
	size_t n_threaded;
	char *uncontrolled; /* message of the first uncontrolled run */

	uint64_t runs, n_uncontrolled, timeouts, races, livelocks;
	uint64_t first_failure; /* number of the first controlled run that failed, from 1; 0: none */
	uint64_t steps, accesses, stops, recorded, learned, steps_recorded;
	double cpu_seconds, own_cpu_seconds;
	uint64_t max_threads, max_threaded;		/* maximum in one run */
	uint64_t stub_single, stub_groups, stub_padded; /* of the run that had most */

	uint64_t outside[RFS_NONDET_KINDS]; /* for each kind, how many runs used it */
	uint64_t *files;		    /* as in struct rfs_run_result, of all runs */
	size_t n_files;			    /* number of pairs of words */
};

/* Borrows all arguments. */
void rfs_tally_init(struct rfs_tally *tally, struct rfs_symbols *symbols, const struct rfs_baseline *baseline,
		    struct rfs_warnings *warnings);
void rfs_tally_add(struct rfs_tally *tally, const struct rfs_execution *execution, const struct rfs_run_result *result);
void rfs_tally_release(struct rfs_tally *tally);

#endif
