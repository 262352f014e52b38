/*
 * run_spec.h - the input of one controlled run. rfs_run() (run/run.h) makes the run; run_result.h describes the run's
 * output.
 *
 * A run is a function of its spec: the same spec and files give the same result, including the hash. The caller forks a
 * process for each run (pool/job.h), because one thread must make all ptrace calls, and because rfs_run() pins its
 * process and the target to one core.
 */
#ifndef RFS_RUN_SPEC_H
#define RFS_RUN_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/base/siteset.h"

/* All seeds are below this limit. So they are exact in JSON readers that store numbers as doubles. */
#define RFS_SEED_END (UINT64_C(1) << 53)

/* A statement: all sites of one side of a pair. */
struct rfs_statement {
	const struct rfs_site_ref *sites;
	size_t n_sites;
};

struct rfs_statement_pair {
	struct rfs_statement statement[2];
};

/* The places of an order violation under test that are not accesses. A module NULL: there is none. All are the return
 * addresses of calls. */
struct rfs_order_places {
	struct rfs_site_ref held;     /* where a thread is postponed; none: at the first statement of the pair */
	struct rfs_site_ref calls[2]; /* operations of the pair that are calls */
	bool descriptors;	      /* they are system calls that use and close a descriptor (kernel/fd_calls.h) */
	bool stacks;		      /* an access to a thread's stack, and the end of this thread (thread_stacks.h) */
};

/* How accesses that only a detector needs are recorded: --accesses. */
enum rfs_accesses { RFS_ACCESSES_STUBS, RFS_ACCESSES_TRAPS };

/* Where threads may be switched: --points. */
enum rfs_points { RFS_POINTS_SYNC, RFS_POINTS_RACES, RFS_POINTS_MEMORY };

struct rfs_address_name;
struct rfs_cycle;
struct rfs_gdb_settings;

/*
 * The parts of the spec below. Each says who reads it. A function that needs one part takes this part.
 */

/* pool/: what the job that makes the run (pool/job.h) does around it. rfs_run() does not read it. */
struct rfs_run_job {
	const char *stdin_path; /* opened for process.fd_in; NULL: /dev/null */
	const char *setup;	/* shell command that runs before the target, in its working directory; NULL: none */
	const char *drive; /* shell command that runs at the same time as the target (pool/load_driver.h); NULL: none */
	const char *fresh_dir;	/* the run works in a copy of this folder, which becomes process.cwd; NULL: none */
	const char *fresh_root; /* the copies are fresh_root/SLOT */
};

/* run/run_open.c: what is executed. */
struct rfs_run_process {
	const char *path;  /* absolute path of the file to execute */
	char *const *argv; /* ends with NULL */
	char *const *envp; /* ends with NULL */
	const char *cwd;   /* NULL: the supervisor's working directory */
	int fd_in, fd_out, fd_err;
};

/* run/pump.c and run/idle.c: when a run is given up. */
struct rfs_run_limits {
	double timeout;	    /* wall seconds; 0: none */
	double cpu;	    /* the target's CPU seconds above which the run is a hang; 0: no limit */
	uint64_t steps;	    /* number of visible operations after which the run is a hang; 0: no limit */
	uint64_t spin_free; /* this many spin reads are not counted as steps */
	/* RLIMIT_DATA of the target in bytes; 0: that of rfsup. Only generated tests have it, so it is in no record. */
	uint64_t data;
};

/* run/stops/ and state/: when a detector looks at accesses of memory. It always gets all operations and atomic
 * accesses. */
struct rfs_run_window {
	uint64_t from, until; /* numbers of operations; until is not part of it; until 0: the whole run */
};
/* `until` of a window that lasts to the end of the run. Records have it as a number that each reader of JSON knows. */
#define RFS_WINDOW_END (RFS_SEED_END - 1)

/* Policies that create something, and access/: what this run is to create. */
struct rfs_run_plan {
	const struct rfs_statement_pair *pair; /* the pair under test; NULL: none */
	const struct rfs_cycle *cycle;	       /* the predicted deadlock under test; NULL: none */
	/*
	 * The pair is an order violation under test. What the second statement frees is in quarantine then
	 * (access/quarantine.h). NULL: none.
	 */
	const struct rfs_order_places *order;
	/* Where earlier runs saw the accesses of the pair meet. The policy gets it with an operation at the pair. */
	const struct rfs_address_name *addresses;
	size_t n_addresses;
};

/* access/: instructions that earlier runs or rfsup have found, in ascending order. */
struct rfs_run_sites {
	const struct rfs_site_ref *visible; /* for RFS_POINTS_RACES: the sites of all predicted pairs */
	size_t n_visible;
	/*
	 * System calls are statements too: a thread parks before those of the pair and of `visible`, if they touch an
	 * object of these kinds (kernel/object_calls.h). A bit for each enum rfs_kernel_object_kind; 0: none
	 */
	unsigned object_kinds;
	const struct rfs_site_ref *moves; /* plain moves that are atomic loads and stores */
	size_t n_moves;
};

/* record/lessons.h: what earlier runs have found out. */
struct rfs_run_lessons {
	const struct rfs_site_ref *spin; /* the spin reads, in ascending order */
	size_t n_spin;
	bool traps_rdtsc;
};

/* What else the result is to contain. Only `orders` and `stacks_at` cause more stops; no choice depends on any. */
struct rfs_run_wanted {
	bool orders; /* compute result->order; costs one or two stops for each allocation */
	/*
	 * Numbers of operations, ascending. After each, a thread has acquired a lock. If the run ends in a deadlock or
	 * a hang, the result has the stacks at these moments.
	 */
	const uint64_t *stacks_at;
	size_t n_stacks_at;
	bool lists_created; /* fill result->created_at */
	/* With a detector: fill result->covered for these sites, in ascending order. */
	const struct rfs_site_ref *covers;
	size_t n_covers;
	/* Fill result->stood: for each statement of the pair, a thread that was parked there; and stacks of the cycle.
	 */
	bool stood;
	bool block_stacks; /* with trace.stacks or stood: know the callers of all allocations; costs two stops for each
			    */
	/*
	 * With `stood`, for a violation under test: the thread of the first operation, plus 1. result->stood then has
	 * the first two operations of this and another thread that are on one object. 0: not for a violation.
	 */
	unsigned stood_thread;
	/* If the program has one thread, but a process that it forks has several, learn that the process is to be
	 * controlled (run/stops/processes.h). */
	bool processes;
	bool schedule; /* fill result->schedule, with which the policy "schedule" makes the same choices */
};

/* record/trace_file.h: files of operations. NULL: none. */
struct rfs_run_trace {
	const char *out; /* file to write the operations to */
	const char *in;	 /* file to compare the operations with */
	bool stacks;	 /* also write the operations' stacks, which is slow */
};

/* kernel/input/input.h: files of recorded input. NULL: none. */
struct rfs_run_input {
	const char *out; /* file to write recorded input to */
	const char *in;	 /* file to take recorded input from; NULL: take real input */
	bool loose; /* `in` comes from another schedule: each thread gets the input that was recorded for it, in its
		       own order */
};

/* All pointers are borrowed for the duration of the run. */
struct rfs_run_spec {
	/* ---- the options of each execution: their table is record/run_options.c ---- */

	const char *follow;	/* glob: control the first executed program whose file name matches; NULL: control the
				   program in process.path */
	bool clock_real;	/* a read of a clock returns the real time, which is recorded in input.out */
	uint64_t date;		/* seconds since 1970 at which virtual time starts; 0: RFS_START_REALTIME */
	bool start_from_seed;	/* the date at which main begins, and AT_RANDOM from then on, come from the seed */
	bool forces_contention; /* as runs of random and rff with a detector do (access/word_locks.h), whatever the
				   policy is */
	enum rfs_points points;
	bool tso;	 /* stores are delayed (access/store_buffers.h): --memory-model */
	unsigned faults; /* a bit for each enum rfs_fault that may happen (state/operations/faults.h); 0: none */
	bool events; /* which ready descriptor is reported first is a choice (kernel/calls/event_order.h): --events */
	uint64_t event_order;	/* with `events`: which of the seed's orders of events; a campaign's policies differ */
	uint64_t fault_points;	/* how many places of faults an earlier run has seen; 0: not known */
	char *const *no_locks;	/* globs of --no-lock; ends with NULL; may be NULL */
	char *const *modules;	/* globs of --module; ends with NULL; may be NULL */
	char *const *unwatched; /* paths of modules that this run does not watch; ends with NULL; may be NULL */
	enum rfs_accesses accesses;
	struct rfs_run_limits limits;
	/*
	 * After this many stops at a statement of the pair, most of its executions pass (access/hot_statements.h).
	 * 0: all stop.
	 */
	uint64_t stops_per_run;
	uint64_t memory;   /* bytes that the detector may use for past accesses: --memory; 0: no limit */
	double sleep_race; /* seconds of --sleep-race (docs/internals/run-loop.md, "Virtual time") */
	struct rfs_run_job job;
	/* The features that the processor has for the target (base/processor.h). NULL: all that it has. */
	const char *processor;

	/* ---- what differs between executions ---- */

	struct rfs_run_process process;
	int core; /* the core of supervisor and target; -1: any */

	uint64_t seed;
	const struct rfs_policy_ops *policy;
	const char *policy_options;		 /* NULL: none */
	const struct rfs_blob *policy_blob;	 /* NULL: none */
	const struct rfs_detector_ops *detector; /* NULL: no detector, and no accesses are watched for one */
	bool predicts_violations;     /* and whether it predicts atomicity and order violations, which costs time */
	struct rfs_run_window window; /* of the detector */
	const struct rfs_blob *detector_blob; /* what the first pass of the detector has saved; NULL: nothing */
	/*
	 * The detector and the pair count from main on, because the program has one thread before. A copy of a fork
	 * server that has neither can then make the run. Points are RFS_POINTS_MEMORY, and a statement has one site.
	 */
	bool from_main;

	struct rfs_run_plan plan;
	struct rfs_run_sites sites;
	struct rfs_run_lessons lessons;
	struct rfs_run_wanted wanted;
	struct rfs_run_trace trace;
	struct rfs_run_input input;

	bool driven;   /* drive_fd is valid */
	int drive_fd;  /* gives the load driver's wait status once it has ended; the target then gets SIGTERM */
	int cancel_fd; /* readable when the run should end (Ctrl-C); -1: none */

	const struct rfs_gdb_settings *gdb; /* a debugger observes the run (gdb/gdb.h); NULL: none */
};

#endif
