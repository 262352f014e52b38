/* options.h - the options of the command line, which cli/options/options.h parses. */
#ifndef RFS_OPTIONS_H
#define RFS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "supervisor/base/error.h"
#include "supervisor/campaign/settings/samplers.h"
#include "supervisor/record/run_spec.h"

enum rfs_action {
	RFS_ACTION_RUN,
	RFS_ACTION_HELP,
	RFS_ACTION_USAGE,
	RFS_ACTION_VERSION,
	RFS_ACTION_LIST_POLICIES,
	RFS_ACTION_DOCTOR,
	RFS_ACTION_COMPLETE,
};

enum rfs_mode {
	RFS_MODE_CAMPAIGN, /* predict, confirm, explore */
	RFS_MODE_PAIRS,	   /* --pairs: confirm */
	RFS_MODE_SAMPLE,   /* --policy without --pairs */
	RFS_MODE_REPLAY,   /* --replay */
	RFS_MODE_VERIFY,   /* --verify */
	RFS_MODE_SIMPLIFY, /* --simplify */
};

/* --color: of standard output. */
enum rfs_colour { RFS_COLOUR_AUTO, RFS_COLOUR_ALWAYS, RFS_COLOUR_NEVER };

/* Strings are borrowed from the argument vector. */
struct rfs_options {
	enum rfs_action action;
	enum rfs_mode mode;
	const char *pairs, *replay, *simplify; /* NULL: not given */
	const char *triage;		       /* NULL: not given; otherwise `pairs` is the same file */
	const char *resume;		       /* --continue; NULL: not given */
	const char *plan;		       /* --plan: the directory; NULL: not given */
	unsigned part, parts;		       /* --shard; 0: not given */
	bool merge;			       /* --merge */
	const char *pack;		       /* --pack; NULL: not given */
	char **merged;			       /* its directories; ends with NULL; owned, never NULL */
	struct rfs_samplers samplers;	       /* --policy; empty: the default of the mode; owned */
	struct rfs_samplers explorers;	       /* --explore-with; owned */
	unsigned depth, bug_depth;	       /* --depth of drfinder, --bug-depth of pct; 0: their defaults */
	const char *detector;		       /* the name of a detector, or "none"; NULL: the default of the mode */
	uint64_t seed;
	unsigned runs, explore, predict_runs, jobs;
	unsigned verify; /* 0: not given */
	bool until_failure, no_fork_server, no_two_pass, no_confirm, guard_heap;
	bool first_process; /* --processes=first */
	bool prove;	    /* --prove, or --policy dpor */
	bool gdb, trust;
	bool gdb_waits;	      /* with `gdb`: the user starts the debugger */
	const char *gdb_port; /* [HOST:]PORT; NULL: not given */
	bool gtest;	      /* a campaign for each test of a GoogleTest program */
	const char *suite;    /* --suite: a build folder or a test program; NULL: not given */
	const char *cache;    /* --cache: a folder; NULL: not given */
	const char *html, *trace;
	uint64_t stop_at; /* RFS_GDB_NO_STEP: not given */
	double hang_factor;
	double budget; /* seconds; 0: no limit */
	const char *output, *plot;
	bool launcher;		   /* a program without a second thread passes */
	const char *sarif, *junit; /* files of the report for other tools; NULL: not given */
	char **env;		   /* NAME=VALUE, for the program; ends with NULL; owned, never NULL */
	char **only, **skip;	   /* patterns of import/scope.h; each ends with NULL; owned, never NULL */
	const char *changed;	   /* a revision of git; NULL: not given */
	char **suppressions;	   /* files, ends with NULL; owned, never NULL */
	bool no_default_suppressions, gen_suppressions;
	const char *baseline;	 /* a JSON report whose findings are known; NULL: not given */
	const char *test;	 /* the name of the test of --gtest or --suite that this campaign is for; NULL: none */
	unsigned error_exitcode; /* the exit status if something was found */
	enum rfs_colour colour;
	/* Only the members that are options of each execution are set. The lists `modules` and `no_locks` are owned and
	 * never NULL. */
	struct rfs_run_spec run;
	bool explore_given, timeout_given;
	bool stops_given;  /* false: run.stops_per_run is derived from the measuring run (limits.h) */
	bool points_given; /* false: run.points is the default of mode and phase */
	bool keep_records;
	bool misuse_is_error;
	bool json, stats;
	bool github;	/* --format=github: text, and findings as a workflow of GitHub reads them */
	unsigned shell; /* --completion: enum rfs_shell */
	enum rfs_log_level log;
	/*
	 * PROGRAM ARG...; with --gdb the arguments of gdb; with --doctor the words after it. Borrowed; ends with NULL.
	 * If there are no such words, argv[0] is NULL.
	 */
	char **argv;
};

/* RFS_MODE_SAMPLE: whether the pairs that a detector predicts are confirmed. */
static inline bool rfs_samples_confirm(const struct rfs_options *options)
{
	return options->detector && strcmp(options->detector, "none") != 0 && !options->no_confirm;
}

#endif
