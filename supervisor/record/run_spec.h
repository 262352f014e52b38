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

/* Seeds stay exact in JSON readers that keep numbers as doubles. */
#define RFS_SEED_END (UINT64_C(1) << 53)

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
	/* ---- the options of each execution: their table is record/run_options.c ---- */

	const char *follow; /* glob: the first program whose file name matches is the one that is meant; NULL: path's */
	bool clock_real;    /* looks at a clock tell the real time, which goes into input_out */
	enum rfs_points points;
	char *const *modules; /* globs of --module, ends with NULL; may be NULL */
	enum rfs_accesses accesses;
	double timeout;	     /* wall seconds; 0: none */
	double cpu_limit;    /* target CPU seconds, beside those of operations, after which it hangs; 0: none */
	uint64_t step_limit; /* visible operations after which it hangs; 0: none */
	uint64_t spin_free;  /* so many spin reads do not count as such */
	double sleep_race;   /* seconds of virtual time: docs/INTERNALS.md, "Virtual time" */
	/* For the job that makes the run (job.h); rfs_run() does not look at them. */
	const char *stdin_path; /* opened for fd_in; NULL: /dev/null */
	const char *setup;	/* shell command run before it, in its working directory; NULL: none */
	const char *drive;	/* shell command that runs beside it (load_driver.h); NULL: none */
	const char *fresh_dir;	/* cwd is a copy of this; NULL: none */
	const char *fresh_root; /* folder that the copies are made in, as fresh_root/SLOT */

	/* ---- what differs between executions ---- */

	const char *path;  /* absolute: the file that is executed */
	char *const *argv; /* ends with NULL */
	char *const *envp; /* ends with NULL */
	const char *cwd;   /* NULL: the supervisor's */
	int fd_in, fd_out, fd_err;
	int core; /* for supervisor and target; -1: any one */

	uint64_t seed;
	const struct rfs_policy_ops *policy;
	const char *policy_options;		 /* NULL: none */
	const struct rfs_blob *policy_blob;	 /* NULL: none */
	const struct rfs_detector_ops *detector; /* NULL: none, and no access is watched for it */

	const struct rfs_statement_pair *pair; /* under test; NULL: none */
	const struct rfs_site_ref *visible;    /* RFS_POINTS_RACES: the sites of all predicted pairs */
	size_t n_visible;
	/* What earlier runs found out (lessons.h). */
	const struct rfs_site_ref *spin; /* reads that spin, ascending */
	size_t n_spin;
	bool traps_rdtsc;
	bool orders; /* result->order is wanted: costs a stop or two for each allocation */

	bool stood; /* describe a thread that stands before each statement of the pair: result->stood */

	const char *trace_out; /* file to write the operations to (trace_file.h); NULL: none */
	bool note_schedule;    /* result->schedule: what the policy "schedule" needs to do the same */
	bool trace_stacks;     /* … and their stacks, which is slow */
	const char *trace_in;  /* file to compare them with; NULL: none */
	const char *input_out; /* file to write what comes from outside to (input.h); NULL: none */
	const char *input_in;  /* file to take it from; NULL: from outside */
	bool input_loose;      /* … for another schedule: each thread gets what it got, in its own order */
	bool driven;	       /* drive_fd is valid */
	int drive_fd;	       /* readable once the command that drives the target has ended: it gets SIGTERM then */
	int cancel_fd;	       /* readable: give up (Ctrl-C); -1: none */

	const struct rfs_gdb_settings *gdb; /* a debugger looks on (gdb.h); NULL: none */
};

#endif
