/* replay.h - rfsup --replay FILE: executes one recorded run again exactly, and lets its output through. */
#ifndef RFS_REPLAY_H
#define RFS_REPLAY_H

#include "supervisor/base/error.h"
#include "supervisor/pool/job.h"

struct rfs_record;
struct rfs_symbols;

/*
 * The first half of a replay, for other modes that execute a recorded run again: reads the record, checks the files,
 * and restores the environment. RFS_EXIT_CLEAN and *record (rfs_record_release); or UNCONTROLLED: the files differ,
 * which was reported.
 */
enum rfs_exit rfs_replay_prepare(struct rfs_symbols *symbols, const char *path, struct rfs_record *record);

struct rfs_replay_also {
	/* settings of a debugger (symbols are set here), NULL: no debugger. With a debugger, real time does not limit
	 * the run. */
	const struct rfs_gdb_settings *gdb;
	const char *page; /* file for the picture of the run (html.h), NULL: no picture */
	double timeout;	  /* in seconds, instead of the record's; 0: the record's */
};

/*
 * Restores what the record at path holds: environment, working directory, umask, limits. Checks that the program and
 * its libraries are the recorded ones. Runs the program, compares the run, and prints one line about it.
 *
 * RFS_EXIT_FINDING: the finding showed again. CLEAN: the run matched and was clean. UNCONTROLLED: the run diverged, or
 * the modules differ. INCOMPLETE: timed out or interrupted. INPUT: the run could not be made, or its page could not be
 * written. also: what to do besides; NULL: nothing.
 */
enum rfs_exit rfs_replay(const char *path, const struct rfs_replay_also *also, int cancel_fd, rfs_run_fn *run);

#endif
