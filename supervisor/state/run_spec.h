/*
 * run_spec.h - what goes into one controlled run. What comes out is in run_result.h; run/run.h carries it out.
 *
 * The caller forks a process for each run (job.h): rfs_run() pins that process and the target to one core, and ptrace
 * wants one thread. A run is a function of its spec: same spec and files, same result, hash included.
 */
#ifndef RFS_RUN_SPEC_H
#define RFS_RUN_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/base/siteset.h"

/* A statement: all sites that it stands for. */
struct rfs_statement {
	const struct rfs_site_ref *sites;
	size_t n_sites;
};

struct rfs_statement_pair {
	struct rfs_statement statement[2];
};

/* Where accesses that only a detector looks at come from. */
enum rfs_accesses { RFS_ACCESSES_STUBS, RFS_ACCESSES_TRAPS };

enum rfs_points { RFS_POINTS_SYNC, RFS_POINTS_RACES, RFS_POINTS_MEMORY };

struct rfs_gdb_settings;

/* All pointers are borrowed during the run. */
struct rfs_run_spec {
	const char *path;   /* absolute: the file that is executed */
	char *const *argv;  /* ends with NULL */
	char *const *envp;  /* ends with NULL */
	const char *cwd;    /* NULL: the supervisor's */
	const char *follow; /* glob: the first program whose file name matches is the one that is meant; NULL: path's */
	int fd_in, fd_out, fd_err;
	int core; /* for supervisor and target; -1: any one */

	uint64_t seed;
	const struct rfs_policy_ops *policy;
	const char *policy_options;		 /* NULL: none */
	const struct rfs_blob *policy_blob;	 /* NULL: none */
	const struct rfs_detector_ops *detector; /* NULL: none, and no access is watched for it */

	enum rfs_points points;
	const struct rfs_statement_pair *pair; /* under test; NULL: none */
	const struct rfs_site_ref *visible;    /* RFS_POINTS_RACES: the sites of all predicted pairs */
	size_t n_visible;
	/* Spin reads that earlier runs found. A module of this name is none: rdtsc has to trap (tsc_insns.c). */
#define RFS_TRAPS_RDTSC "[rdtsc]"
	const struct rfs_site_ref *spin;
	size_t n_spin;
	char *const *modules; /* globs of --module, ends with NULL; may be NULL */
	enum rfs_accesses accesses;

	double timeout;	     /* wall seconds; 0: none */
	double cpu_limit;    /* target CPU seconds, beside those of operations, after which it hangs; 0: none */
	uint64_t step_limit; /* visible operations after which it hangs; 0: none */
	uint64_t spin_free;  /* so many spin reads do not count as such */
	double sleep_race;   /* seconds of virtual time, design section 4 */
	bool orders;	     /* result->order is wanted: costs a stop or two for each allocation */

	bool stood; /* describe a thread that stands before each statement of the pair: result->stood */

	const char *trace_out; /* file to write the operations to (trace_file.h); NULL: none */
	bool note_schedule;    /* result->schedule: what the policy "schedule" needs to do the same */
	bool trace_stacks;     /* … and their stacks, which is slow */
	const char *trace_in;  /* file to compare them with; NULL: none */
	const char *input_out; /* file to write what comes from outside to (input.h); NULL: none */
	const char *input_in;  /* file to take it from; NULL: from outside */
	bool input_loose;      /* … for another schedule: each thread gets what it got, in its own order */
	bool clock_real;       /* looks at a clock tell the real time, which goes into input_out */
	bool driven;	       /* drive_fd is valid */
	int drive_fd;	       /* readable once the command that drives the target has ended: it gets SIGTERM then */
	int cancel_fd;	       /* readable: give up (Ctrl-C); -1: none */

	const struct rfs_gdb_settings *gdb; /* a debugger looks on (gdb.h); NULL: none */
};

#endif
