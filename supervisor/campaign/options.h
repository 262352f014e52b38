/* options.h - what the command line asks for; cli/options.h reads it. */
#ifndef RFS_OPTIONS_H
#define RFS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/base/error.h"
#include "supervisor/campaign/samplers.h"
#include "supervisor/record/run_spec.h"

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
	const char *resume;		       /* --continue; NULL: not given. No other option is given then */
	struct rfs_samplers samplers;	       /* --policy; empty: the mode decides; owned */
	struct rfs_samplers explorers;	       /* for phase explore; owned */
	unsigned depth, bug_depth;	       /* of drfinder, of pct; 0: their defaults */
	const char *detector;		       /* a known name or "none"; NULL: the mode decides */
	uint64_t seed;
	unsigned runs, explore, predict_runs, jobs;
	unsigned verify; /* 0: not given */
	bool until_failure, no_fork_server;
	bool gdb;
	const char *html;
	uint64_t stop_at; /* RFS_GDB_NO_STEP: not given */
	double hang_factor;
	double budget; /* seconds; 0: no limit */
	const char *output, *plot;
	struct rfs_run_spec run; /* only the options of each execution; modules: owned, never NULL */
	bool explore_given, timeout_given;
	bool points_given; /* false: mode and phase decide */
	bool keep_records;
	bool json, stats;
	enum rfs_log_level log;
	char **argv; /* PROGRAM ARG..., with --gdb gdb's arguments; ends with NULL, borrowed; argv[0] is NULL if there
			are none */
};

#endif
