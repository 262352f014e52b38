/* tally.h - sums over all controlled runs of a campaign: counts, modules, uncontrolled processes, nondeterminism. */
#ifndef RFS_TALLY_H
#define RFS_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/campaign/executions/misuses.h"
#include "supervisor/record/nondet.h"
#include "supervisor/record/run_result.h"

struct rfs_baseline;
struct rfs_execution;
struct rfs_symbols;
struct rfs_warnings;

/* Owns what its members point to, except for symbols, baseline and warnings, which it borrows. */
struct rfs_tally {
	struct rfs_symbols *symbols;
	const struct rfs_baseline *baseline;
	struct rfs_warnings *warnings;

	struct rfs_run_module *modules; /* the modules of all runs, each once */
	size_t n_modules;
	char **threaded; /* file names of child processes with several threads, which rfsup does not control; each name
			    once */
	size_t n_threaded;
	struct rfs_misuses misuses;
	char *uncontrolled; /* message of the first uncontrolled run */

	struct {
		uint64_t runs; /* how many runs had no load, because their load driver failed before it reached them */
		int status;    /* the wait status of the first one */
	} no_load;
	bool driver_failed[2]; /* a warning was given: [0]: the load driver failed before it reached a run, [1]: after
				*/
	uint64_t refused;      /* runs that failed after rfsup had refused a call (rfs_run_failed_refused()) */
	uint64_t runs, n_uncontrolled, timeouts, races, livelocks;
	uint64_t first_failure; /* number of the first controlled run that failed, from 1; 0: none */
	uint64_t steps, accesses, stops, recorded, dropped, learned, steps_recorded;
	double cpu_seconds, own_cpu_seconds;
	uint64_t max_threads, max_threaded, max_memory; /* maxima of one run; memory: bytes of its detector */
	uint64_t forgotten;				/* MiB of memory whose accesses detectors forgot */
	uint64_t stub_single, stub_groups, stub_padded; /* of the run with the most stubs */

	uint64_t outside[RFS_NONDET_KINDS]; /* for each kind of nondeterminism: the number of runs that had it */
	uint64_t *files;		    /* two words for each file, as in nondet.files of struct rfs_run_result */
	size_t n_files;			    /* number of files */
};

/* Borrows all arguments. */
void rfs_tally_init(struct rfs_tally *tally, struct rfs_symbols *symbols, const struct rfs_baseline *baseline,
		    struct rfs_warnings *warnings);
void rfs_tally_add(struct rfs_tally *tally, const struct rfs_execution *execution, const struct rfs_run_result *result);
/*
 * How a load driver ended, from its wait status: "ended with status 127", "was killed by SIGSEGV". Caller frees.
 */
char *rfs_tally_driver_end(int status);
/* How files name a module: by its base name; if another module has the same base name, by its path. Borrowed. */
const char *rfs_tally_module_name(const struct rfs_tally *tally, const char *module);
void rfs_tally_release(struct rfs_tally *tally);

#endif
