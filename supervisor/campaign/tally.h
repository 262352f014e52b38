/* tally.h - what the controlled runs of a campaign add up to: counts, modules, processes beside the program, input. */
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

/* Owns what it points to, but the first three. */
struct rfs_tally {
	struct rfs_symbols *symbols;
	const struct rfs_baseline *baseline;
	struct rfs_warnings *warnings;

	struct rfs_run_module *modules; /* of all runs */
	size_t n_modules;
	char **threaded; /* file names of processes with threads that ran beside the program, each once */
	size_t n_threaded;
	char *uncontrolled; /* the first run that was */

	uint64_t runs, n_uncontrolled, timeouts, races, livelocks;
	uint64_t first_failure; /* the controlled run that was the first to fail, from 1; 0: none */
	uint64_t steps, accesses, stops, recorded, learned, steps_recorded;
	double cpu_seconds, own_cpu_seconds;
	uint64_t max_threads, max_threaded;		/* in one run */
	uint64_t stub_single, stub_groups, stub_padded; /* of the run that had most */

	uint64_t outside[RFS_NONDET_KINDS]; /* runs that took each kind */
	uint64_t *files;		    /* as of struct rfs_run_result, of all runs */
	size_t n_files;			    /* pairs of words */
};

/* Borrows its arguments. */
void rfs_tally_init(struct rfs_tally *tally, struct rfs_symbols *symbols, const struct rfs_baseline *baseline,
		    struct rfs_warnings *warnings);
void rfs_tally_add(struct rfs_tally *tally, const struct rfs_execution *execution, const struct rfs_run_result *result);
void rfs_tally_release(struct rfs_tally *tally);

#endif
