/*
 * options.h - the command line. Two tables make the parser, --help and, through tests/lint/options, the check of
 * rfsup(1): the options of each execution (record/run_options.c), and the rest (option_table.c).
 */
#ifndef RFS_OPTIONS_H
#define RFS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "supervisor/base/error.h"
#include "supervisor/campaign/samplers.h"
#include "supervisor/state/run_spec.h"

/* Seeds stay exact in JSON readers that keep numbers as doubles. */
#define RFS_SEED_END (UINT64_C(1) << 53)

enum rfs_action { RFS_ACTION_RUN, RFS_ACTION_HELP, RFS_ACTION_USAGE, RFS_ACTION_VERSION, RFS_ACTION_LIST_POLICIES };

enum rfs_mode {
	RFS_MODE_CAMPAIGN, /* predict, confirm, explore */
	RFS_MODE_PAIRS,	   /* --pairs: confirm */
	RFS_MODE_SAMPLE,   /* --policy without --pairs */
	RFS_MODE_REPLAY,   /* --replay */
	RFS_MODE_VERIFY,   /* --verify */
	RFS_MODE_SIMPLIFY, /* --simplify */
};

/* Strings are borrowed from the argument vector. */
struct rfs_options {
	enum rfs_action action;
	enum rfs_mode mode;
	const char *pairs, *replay, *simplify; /* NULL: not given */
	struct rfs_samplers samplers;	       /* --policy; none: by mode. Owned */
	struct rfs_samplers explorers;	       /* of the third phase; owned */
	unsigned depth, bug_depth;	       /* of drfinder, of pct; 0: their own defaults */
	const char *detector;		       /* a known name or "none"; NULL: by mode */
	uint64_t seed;
	unsigned runs, explore, predict_runs, jobs;
	unsigned verify; /* 0: not given */
	bool until_failure, no_fork_server;
	bool gdb;
	const char *html;
	uint64_t stop_at; /* RFS_GDB_NO_STEP: not given */
	double hang_factor;
	double budget; /* seconds, 0: none */
	const char *output, *plot;
	struct rfs_run_spec run; /* the options of each execution, nothing else; modules: owned, never NULL */
	bool explore_given, timeout_given;
	bool points_given; /* else by mode and phase */
	bool keep_records;
	bool json, stats;
	enum rfs_log_level log;
	char **argv; /* PROGRAM ARG..., with gdb its arguments; ends with NULL, borrowed; argv[0] is NULL: none given */
};

/*
 * Reads the command line; looks at no file. 0 and *out (rfs_options_release), or -EINVAL and a line in why that says
 * what is wrong and what to do.
 */
int rfs_options_parse(int argc, char **argv, struct rfs_options *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_options_release(struct rfs_options *options);

/* Checks the files that --stdin, --fresh-dir, --pairs, --replay and a --policy with a slash name. 0, or -errno and a
 * line in why. */
int rfs_options_check_files(const struct rfs_options *options, char *why, size_t n) __attribute__((warn_unused_result));

/* Writes what --help, --version and --list-policies print. */
void rfs_options_print(const struct rfs_options *options, FILE *out);

#endif
